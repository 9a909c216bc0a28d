// CellText: a cell of a report as people read it.

#pragma once

#include <string>

#include "fathom/base/bytes.h"
#include "fathom/fs/table.h"

namespace fathom::cli {

// In one line, escaped; unicode is as Label has it. Paths and texts are never shortened here. Times
// are those of the local zone, to the minute. "-" stands for what is not known, and for empty text.
[[nodiscard]] std::string cell_text(const fs::Cell& cell, fs::CellType type, base::Units units,
                                    bool unicode);

// Whether columns of the type are aligned to the right.
[[nodiscard]] bool is_figure(fs::CellType type);

}  // namespace fathom::cli
