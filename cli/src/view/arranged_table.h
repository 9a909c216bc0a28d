// ArrangedTable: a report in another order, or with only some of its rows.

#pragma once

#include <cstddef>
#include <optional>

#include "fathom/fs/measure.h"
#include "fathom/fs/table.h"
#include "flags/scan_request.h"

namespace fathom::cli {

struct Arrangement {
  std::optional<Order> order;  // none: the order of the report
  fs::Measure measure = fs::Measure::disk;
  std::size_t rows = 0;     // the number of rows to show, which come first; 0: all
  bool keeps_rest = false;  // the other rows follow, for a view that reports how many there are
};

// Sorting is stable, and rows that stand apart come last. A table keeps its order if it has no
// column to sort by, or if its rows are the steps of a scale. Of a scale, the rows to show are the
// largest ones, not the first ones. A record and a sum are unchanged.
[[nodiscard]] fs::Table arranged(fs::Table table, const Arrangement& arrangement);

// Of a table with rows that stand apart, the first of these, or the number of rows.
[[nodiscard]] std::size_t first_apart(const fs::Table& table);

}  // namespace fathom::cli
