// CellText: a cell of a report as text.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/table.h"

namespace fathom::cli {

// One line, escaped; for unicode see Label. Does not shorten paths and texts. Times are local, to
// the minute. "-" stands for unknown values and for empty text.
[[nodiscard]] std::string cell_text(const fs::Cell& cell, fs::CellType type, base::Units units,
                                    bool unicode);

// Reads a row, with what text shows in place of its cells (fs::Column::shown).
void read_shown(const fs::Table& table, std::size_t row, std::vector<fs::Cell>& cells);

// Whether columns of the type are right-aligned.
[[nodiscard]] bool is_figure(fs::CellType type);

}  // namespace fathom::cli
