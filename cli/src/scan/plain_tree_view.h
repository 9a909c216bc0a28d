// PlainTreeView: the tree view of a scan in words, one entry per line, for screen readers.

#pragma once

#include <string>

#include "fathom/fs/report.h"
#include "scan/view.h"

namespace fathom::cli {

// "164 MiB, 28%, directory /usr/share/locale": the rows of the tree view, each with its full path.
// Empty if nothing was scanned.
[[nodiscard]] std::string plain_tree_view(const fs::ReportInput& input, const View& view);

}  // namespace fathom::cli
