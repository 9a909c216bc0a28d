// The columns of entries.parquet, as a table, and how each is filled from a tree.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"
#include "parquet/schema.h"
#include "snapshot/preorder.h"

namespace fathom::store {

enum class EntryColumn : std::uint8_t {
  id,
  parent_id,
  subtree_end,
  dir,
  name,
  name_raw,
  ext,
  type,
  mode,
  flags,
  depth,
  size,
  blocks,
  charged_blocks,
  fs_uuid,
  dev,
  ino,
  nlink,
  uid,
  gid,
  mtime_ns,
  ctime_ns,
  btime_ns,
};

// Its columns are in the order of EntryColumn.
[[nodiscard]] const Schema& entries_schema();

// The text that identifies the filesystem of each device; fs::filesystem_ids().
using FilesystemIds = std::map<std::uint64_t, std::string>;

// A tree, and the facts about it that it does not contain itself.
struct EntrySource {
  const fs::Tree& tree;
  const FilesystemIds& filesystems;
  std::span<const std::string> roots;  // their paths, by index; empty: their names

  // The name of an entry in a snapshot; of a root, its path.
  [[nodiscard]] std::string_view name_of(fs::NodeId node, bool root) const {
    return root && !roots.empty() ? std::string_view(roots[tree.root_index(node)])
                                  : tree.name(node);
  }
  [[nodiscard]] std::string_view name_of(const Row& row) const {
    return row.parent == kNoRow ? name_of(row.node, true) : row.name;
  }
};

// As names are written: bytes that are not UTF-8 as \xHH. `kept` owns the text then.
[[nodiscard]] std::string_view as_text(std::string_view bytes, std::deque<std::string>& kept);

// Larger values are stored as the largest one: no kernel returns them.
[[nodiscard]] std::int64_t capped(std::uint64_t value);

// The values of columns in consecutive rows of a tree. Each thread needs its own.
class EntryValues {
 public:
  explicit EntryValues(const EntrySource& source) : source_(source), tree_(source.tree) {}

  // Replaces `values` by those of the rows, of which the first one has the number `first`. They are
  // valid until the next call, and as long as the tree.
  void fill(EntryColumn column, std::span<const Row> rows, std::uint64_t first, Values& values);

 private:
  void fill_dir(std::span<const Row> rows, Values& values);
  void fill_name(std::span<const Row> rows, Values& values);
  void fill_name_raw(std::span<const Row> rows, Values& values);
  void fill_ext(std::span<const Row> rows, Values& values);
  void fill_fs_uuid(std::span<const Row> rows, Values& values);
  void open_path(const Row& row);
  void enter(const Row& row);
  void append(std::string_view name);
  [[nodiscard]] std::string_view path_above(std::uint32_t depth);

  const EntrySource& source_;
  const fs::Tree& tree_;
  std::deque<std::string> texts_;  // of the last call, where they are not in the tree
  // Of fill_dir(): the path of the innermost directory, and the lengths of the paths of those above
  // it and its own, by depth. Beyond kMostPath it does not grow.
  std::string path_;
  std::vector<std::size_t> lengths_;
};

}  // namespace fathom::store
