// TreeView: the largest directories of a scan as a tree with bars, as wide as the terminal.

#pragma once

#include <string>

#include "fathom/fs/report.h"
#include "scan/view.h"

namespace fathom::cli {

// At most about two dozen lines of at most view.terminal.width columns. Shares are relative to the
// whole scan. Empty if nothing was scanned.
[[nodiscard]] std::string tree_view(const fs::ReportInput& input, const View& view);

}  // namespace fathom::cli
