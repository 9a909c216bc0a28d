// ChangeRows: selects the directories that a tree of changes shows.
//
// Starting at the directories without a parent, it repeatedly takes the most important one whose
// parent already has a row, until the rows are used up. A directory is as important as the largest
// change in it, even if its own sum is small because others cancel it out. It counts half as much
// for each level below the second, and half as much again after eight siblings.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fathom::cli {

struct ChangeNode {
  static constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

  std::size_t parent = kNoParent;  // its index; smaller than its own
  std::int64_t change = 0;
};

struct ChangeRow {
  std::vector<std::size_t> chain;  // the directories that share the row, the highest first
  std::size_t parent = 0;          // the row of its directory; of one without a parent, its own row
  unsigned depth = 0;              // in rows
  bool last = false;               // of the rows with this parent
};

struct ChangeLimits {
  std::size_t rows = 24;
  unsigned depth = 100;
  // Whether a directory shares its row with the only one in it, if nearly all of its change is
  // there. Those without a parent have their own rows.
  bool folds = true;
};

struct ChangeRows {
  std::vector<ChangeRow> rows;
  // The directories that no row represents: not in a row, nor below one without rows below it.
  std::size_t others = 0;
};

// The rows in print order: a directory, then those in it, the largest absolute change first, and of
// equal ones in the order of the nodes.
[[nodiscard]] ChangeRows change_rows(std::span<const ChangeNode> nodes, ChangeLimits limits);

}  // namespace fathom::cli
