// JoinedRows: the entries of all parts in the order of a snapshot, one group of rows after the
// other.
//
// The parts are merged by their paths. Of each part, the place of its next entry is in memory; only
// those that were used last are open.

#pragma once

#include <cstddef>
#include <cstdint>
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
  // The roots are in ascending order. `most_open` parts are open at a time. Everything must outlive
  // the object.
  JoinedRows(std::span<const std::string> roots, const Survey& survey, const JoinedDevices& devices,
             const Survey::OpenPart& open, std::size_t most_open);

  // The next rows: at most `most`, and fewer if their directories have long paths, as
  // Preorder::rows() has them; none at the end. Throws base::Error if a part is damaged.
  [[nodiscard]] std::optional<RowGroup> next(std::size_t most);

 private:
  // A part, and the place of its next entry.
  struct Head {
    std::size_t root;  // the index of the root
    std::string path;
    std::size_t part;
  };
  // Whether a comes after b: for a heap with the first one on top.
  struct After {
    bool operator()(const Head& a, const Head& b) const;
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
  [[nodiscard]] PartCursor& cursor_of(std::size_t part);
  void use(std::size_t part);
  [[nodiscard]] std::size_t pop();
  void push(std::size_t part);
  void step(Group& group);
  void leave_directories(const std::string& path);
  void add(const PartCursor& cursor, Group& group);
  [[nodiscard]] std::uint8_t flags_of(const PartCursor& cursor, const std::string& path) const;

  const std::span<const std::string> roots_;
  const Survey& survey_;
  const JoinedDevices& devices_;
  const Survey::OpenPart& open_;
  const std::size_t most_open_;
  std::vector<Head> heads_;                           // a heap
  std::vector<std::unique_ptr<PartCursor>> cursors_;  // by part; null before its first entry
  std::vector<std::uint64_t> used_;                   // by part: when it was used last
  std::uint64_t uses_ = 0;
  std::optional<Head> last_;           // the one that was taken last
  std::optional<std::size_t> inside_;  // the part that alone has the directory of the next entry
  std::uint32_t inside_depth_ = 0;
  std::uint64_t row_ = 0;
  std::string path_;          // of the innermost directory above the next entry
  std::vector<Above> above_;  // by depth
};

}  // namespace fathom::store
