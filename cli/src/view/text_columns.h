// TextColumns: selects, orders and sizes the columns of a list to fit in a line.

#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "fathom/fs/table.h"

namespace fathom::cli {

inline constexpr unsigned kIndent = 2;  // before the first column
inline constexpr unsigned kGap = 2;     // between columns
inline constexpr unsigned kEndless = std::numeric_limits<unsigned>::max();  // the width of a line

struct TextColumn {
  std::size_t index;  // of the column in the table
  unsigned width;     // maximum width; in an endless line, the width to pad to
};

// Figures come first, paths last. `widest` is the width that each column of the table needs; `line`
// is the width of the line.
//
// In a line with an end, columns are omitted by rank until the paths have a half, or the given
// part, of the line or all the width that they need; the paths share the remaining width. If only
// one column is left, it is cut if necessary.
[[nodiscard]] std::vector<TextColumn> fit_columns(const std::vector<fs::Column>& columns,
                                                  const std::vector<unsigned>& widest,
                                                  unsigned line, unsigned path_part = 2);

}  // namespace fathom::cli
