// JoinedRows: the entries of all parts in the order of a snapshot, one group of rows after the
// other.
//
// The parts are merged by their paths. Only those are open that have entries before and after the
// current one: about as many as parts that continue each other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/fs/tree.h"
#include "fathom/fs/tree_builder.h"
#include "parts/part_cursor.h"
#include "parts/survey.h"
#include "snapshot/entry_columns.h"
#include "snapshot/preorder.h"

namespace fathom::store {

// Not thread-safe.
class JoinedRows {
 public:
  // The roots are in ascending order. Everything must outlive the object.
  JoinedRows(std::span<const std::string> roots, const Survey& survey, const JoinedDevices& devices,
             const Survey::OpenPart& open);

  // The next rows: at most `most`, and fewer if their directories have long paths, as
  // Preorder::rows() has them; none at the end. Throws base::Error if a part is damaged.
  [[nodiscard]] std::optional<RowGroup> next(std::size_t most);

 private:
  // A part that is not open yet, and the place of its first entry.
  struct Waiting {
    std::size_t root;  // the index of the root
    std::string path;
    std::size_t part;
  };
  // A directory above the next entry.
  struct Above {
    std::uint64_t row;
    std::string name;
    fs::Entry entry;
    std::uint8_t flags;
    std::size_t path;    // the length of its path
    std::size_t length;  // the same, as Preorder::rows() counts it
  };
  class Group;

  [[nodiscard]] std::size_t root_of(const std::string& path) const;
  [[nodiscard]] bool precedes(const Waiting& waiting, const std::string& path) const;
  [[nodiscard]] bool is_here(const Waiting& waiting) const;
  void open_next_part();
  [[nodiscard]] PartCursor* choose();
  void step(Group& group);
  void add(PartCursor& cursor, Group& group);
  void pass(PartCursor& cursor);
  [[nodiscard]] std::uint8_t flags_of(const PartCursor& cursor, const std::string& path) const;

  const std::span<const std::string> roots_;
  const Survey& survey_;
  const JoinedDevices& devices_;
  const Survey::OpenPart& open_;
  std::deque<Waiting> waiting_;  // in the order of their first entries
  std::vector<std::unique_ptr<PartCursor>> cursors_;
  PartCursor* inside_ = nullptr;  // the part that alone has the directory of the next entry
  std::uint32_t inside_depth_ = 0;
  std::uint64_t row_ = 0;
  std::string path_;          // of the innermost directory above the next entry
  std::vector<Above> above_;  // by depth
};

}  // namespace fathom::store
