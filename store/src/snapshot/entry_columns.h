// The columns of entries.parquet, as a table, and how each is filled from a tree.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  ino,
  nlink,
  uid,
  gid,
  mtime_ns,
  ctime_ns,
  btime_ns,
};

// The key-value pair by which a reader recognises the file, and its version.
inline constexpr std::pair<std::string_view, std::string_view> kEntriesMark = {"fathom.schema",
                                                                               "fathom.entries/1"};

// By EntryColumn.
[[nodiscard]] std::span<const Column> entry_columns();

// The text of a type in the column `type`.
[[nodiscard]] std::string_view word_of(fs::Kind kind);

// The text that identifies the filesystem of each device; fs::filesystem_ids().
using FilesystemIds = std::map<std::uint64_t, std::string>;

// A tree, and the facts about it that it does not contain itself.
struct EntrySource {
  const fs::Tree& tree;
  const FilesystemIds& filesystems;
  std::span<const std::string> roots;  // their paths, by index; empty: their names
};

// The values of columns in consecutive rows of a tree. Each thread needs its own.
class EntryValues {
 public:
  explicit EntryValues(const EntrySource& source)
      : tree_(source.tree), filesystems_(source.filesystems), roots_(source.roots) {}

  // Replaces `values` by those of the rows, of which the first one has the number `first`. They are
  // valid until the next call, and as long as the tree.
  void fill(EntryColumn column, std::span<const Row> rows, std::uint64_t first, Values& values);

 private:
  void fill_dir(std::span<const Row> rows, Values& values);
  void fill_name(std::span<const Row> rows, Values& values);
  void fill_name_raw(std::span<const Row> rows, Values& values);
  void fill_ext(std::span<const Row> rows, Values& values);
  void fill_fs_uuid(std::span<const Row> rows, Values& values);
  [[nodiscard]] std::string_view keep(std::string text) {
    return texts_.emplace_back(std::move(text));
  }
  void open_path(const Row& row);
  void enter(const Row& row);
  void append(std::string_view name);
  [[nodiscard]] std::string_view path_above(std::uint32_t depth);
  [[nodiscard]] std::string_view root_path(fs::NodeId root) const;

  const fs::Tree& tree_;
  const FilesystemIds& filesystems_;
  const std::span<const std::string> roots_;
  std::deque<std::string> texts_;  // of the last call, where they are not in the tree
  // Of fill_dir(): the path of the innermost directory, and the lengths of the paths of those above
  // it and its own, by depth. Beyond kMostPath it does not grow.
  std::string path_;
  std::vector<std::size_t> lengths_;
};

}  // namespace fathom::store
