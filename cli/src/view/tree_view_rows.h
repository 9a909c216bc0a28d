// TreeViewRows: selects the entries that a tree view shows.
//
// Starting at the roots, it repeatedly takes the most important entry whose directory already has a
// row, until the rows are used up. So the directory of each row has a row too.
//
// The top level is the entries of the root, or the roots if there are several. Roots come first,
// and then the entries of the top level that have at least 1% of the whole, the largest at the
// beginning. Then an entry counts half
// as much for each level below the top, and half as much again after eight others of its directory,
// a third after sixteen, and so on: what a large directory consists of is less important than
// another directory of nearly that size, and many files of the same size do not fill the screen. No
// omitted entry is larger than a shown one in the same directory.
//
// A directory in which only one entry counts, a directory or a file, shares a row with it, and so
// on: a/b/c/ or a/b/file. The root has its own row.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/tree.h"
#include "flags/scan_request.h"

namespace fathom::cli {

struct TreeViewRow {
  fs::NodeId node = fs::kNoNode;
  std::vector<fs::NodeId> above;  // the directories that share its row, highest first
  fs::DirId top = fs::kNoDir;     // the highest directory of the row; kNoDir: only a file
  std::uint64_t weight = 0;       // bytes in the measure, or entries if the order is count
  std::size_t parent = 0;         // the row of its directory; for a root, its own row
  unsigned depth = 0;             // in rows; 0: a root
  bool lower_bound = false;
  bool last = false;       // of the rows with this parent
  bool elsewhere = false;  // a root that is counted at another path
};

struct TreeViewLimits {
  std::size_t rows = 24;
  unsigned depth = 100;  // of the deepest row
};

// The entries that no row represents: not rows themselves, nor below a row without rows below it.
struct TreeViewRest {
  std::uint64_t entries = 0;
  std::uint64_t weight = 0;
};

struct TreeViewRows {
  std::vector<TreeViewRow> rows;
  TreeViewRest rest;
};

// The time that the view shows for a row and sorts by: for a directory, that of the newest entry
// below it.
[[nodiscard]] std::int64_t modified(const fs::ReportInput& input, fs::NodeId node, fs::DirId top);

// The rows in print order: a directory, then its entries, each followed by its own entries. Entries
// are in the given order; Order::count also selects by the number of entries. Entries that are
// counted elsewhere (extra links, what overlapping roots repeat) have no row, unless they are one
// of several roots.
[[nodiscard]] TreeViewRows tree_view_rows(const fs::ReportInput& input, TreeViewLimits limits,
                                          Order order = Order::size);

}  // namespace fathom::cli
