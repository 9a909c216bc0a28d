// TextColumns: which columns of a list a line has room for, in which order, and how wide each is.

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
  std::size_t index;  // of the table's column
  unsigned width;     // at most, where the line has an end; else that to pad to
};

// Figures first, paths last. `widest` has the width that each of the table's columns would like;
// `line` is the width of the line.
//
// In a line that ends, columns are left out until paths have half of the line, or all that they
// want; then paths share what there is. A column that is alone gets less than it wants, whatever it
// is.
[[nodiscard]] std::vector<TextColumn> fit_columns(const std::vector<fs::Column>& columns,
                                                  const std::vector<unsigned>& widest,
                                                  unsigned line);

}  // namespace fathom::cli
