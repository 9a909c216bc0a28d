// TreeViewRows: which entries a picture of a scan shows, when it cannot show all.
//
// The largest ones, taken from the roots downwards: always the largest entry whose directory is
// already shown, until the rows are used up. So each row's directory stands above it, and no entry
// that is left out is larger than one that is shown, but for what lies deeper than `depth`.
//
// A directory that holds nothing but one directory shares a row with it, and so on: a/b/c/.

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
  std::vector<fs::NodeId> above;  // the directories that share its row, the highest first
  std::uint64_t weight = 0;       // bytes by the measure, or entries when those order the picture
  std::size_t parent = 0;         // the row of its directory; its own for a root
  unsigned depth = 0;             // in rows; 0: a root
  bool directory = false;
  bool lower_bound = false;
  bool last = false;  // of the rows with this parent
};

struct TreeViewLimits {
  std::size_t rows = 24;
  unsigned depth = 100;  // of the deepest row
};

// What is below no row of its own: neither a row, nor below one that has no rows below it.
struct TreeViewRest {
  std::uint64_t entries = 0;
  std::uint64_t weight = 0;
};

struct TreeViewRows {
  std::vector<TreeViewRow> rows;
  TreeViewRest rest;
};

// In the order in which to print them: a directory, then its entries, each followed by its own.
// Entries are in the given order, which by count also says what the largest are. What is counted
// elsewhere (a repeated root, a further name) has no row.
[[nodiscard]] TreeViewRows tree_view_rows(const fs::Tree& tree, const fs::Children& children,
                                          const fs::Totals& totals, fs::Measure measure,
                                          TreeViewLimits limits, Order order = Order::size);

}  // namespace fathom::cli
