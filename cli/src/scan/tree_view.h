// The picture: the largest directories of a scan as a tree with bars, as wide as the terminal.

#pragma once

#include <string>

#include "fathom/fs/report.h"
#include "scan/view.h"

namespace fathom::cli {

// Lines of at most view.terminal.width columns, at most about two dozen of them. Shares are of
// everything that was scanned. Empty when nothing was.
[[nodiscard]] std::string tree_view(const fs::ReportInput& input, const View& view);

}  // namespace fathom::cli
