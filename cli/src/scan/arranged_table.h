// ArrangedTable: a report in another order, or some of its rows alone.

#pragma once

#include <cstddef>
#include <optional>

#include "fathom/fs/measure.h"
#include "fathom/fs/table.h"
#include "scan/order.h"

namespace fathom::cli {

struct Arrangement {
  std::optional<Order> order;  // none: the report's own
  fs::Measure measure = fs::Measure::disk;
  std::size_t rows = 0;  // to be shown, which stand first; 0: all
  bool keeps_rest =
      false;  // the others stand behind those, for a view that tells how many they are
};

// Rows that are equal stay in their order, and so do all of a table that has no column to order by,
// or whose rows are steps of a scale: the histogram, the ages. Of a scale the rows to be shown are
// not the first but the largest ones. A record is what it was.
[[nodiscard]] fs::Table arranged(fs::Table table, const Arrangement& arrangement);

}  // namespace fathom::cli
