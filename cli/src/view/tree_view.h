// TreeView: the largest directories of a scan as a tree with bars, fitted to the terminal.

#pragma once

#include <cstddef>
#include <string>

#include "fathom/fs/report.h"
#include "view/view.h"

namespace fathom::cli {

// The title and the rows, as many as fit on the terminal with `beside` other lines, or else at most
// two dozen. Lines have at most view.terminal.width columns. A wide terminal also gets the number
// of entries, the last modification and the owner. Shares are relative to the whole scan.
[[nodiscard]] std::string tree_view(const fs::ReportInput& input, const View& view,
                                    std::size_t beside = 0);

// In words, one entry per line, for screen readers: "164 MiB, 28%, directory /usr/share/locale":
// the title, and the rows of the tree view, each with its full path.
[[nodiscard]] std::string plain_tree_view(const fs::ReportInput& input, const View& view);

}  // namespace fathom::cli
