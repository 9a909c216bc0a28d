// TreeViewRows: selects the entries that a tree view shows.
//
// Starting at the roots, it repeatedly takes the largest entry whose directory already has a row,
// until the rows are used up. So the directory of each row has a row too, and no omitted entry is
// larger than a shown one, except below `depth`.
//
// A directory that contains only one directory shares a row with it, and so on: a/b/c/.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "scan/order.h"

namespace fathom::cli {

struct TreeViewRow {
  fs::NodeId node = fs::kNoNode;
  std::vector<fs::NodeId> above;  // the directories that share its row, highest first
  std::uint64_t weight = 0;       // bytes in the measure, or entries if the order is count
  std::size_t parent = 0;         // the row of its directory; for a root, its own row
  unsigned depth = 0;             // in rows; 0: a root
  bool directory = false;
  bool lower_bound = false;
  bool last = false;  // of the rows with this parent
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

// The rows in print order: a directory, then its entries, each followed by its own entries. Entries
// are in the given order; Order::count also selects by the number of entries. Entries that are
// counted elsewhere (repeated roots, extra links) have no row.
[[nodiscard]] TreeViewRows tree_view_rows(const fs::Tree& tree, const fs::Children& children,
                                          const fs::Totals& totals, fs::Measure measure,
                                          TreeViewLimits limits, Order order = Order::size);

}  // namespace fathom::cli
