// PlainTreeView: the largest parts of a scan as words, a line each, for those who hear it.

#pragma once

#include <string>

#include "fathom/fs/report.h"
#include "scan/view.h"

namespace fathom::cli {

// "164 MiB, 28%, directory /usr/share/locale": the rows of the picture, each with its whole path.
// Empty when nothing was scanned.
[[nodiscard]] std::string plain_tree_view(const fs::ReportInput& input, const View& view);

}  // namespace fathom::cli
