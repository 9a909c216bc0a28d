// DirectoryLines: groups of equal directories in display order, each directory with its role if
// only the selected files were kept.

#pragma once

#include <vector>

#include "dups/finding.h"
#include "dups/group_lines.h"

namespace fathom::cli {

// For each group: `keep` if only one directory contains kept files, directly or below; `part` for
// each if several do; then `copy` for the others. Directories with the same role are in path order.
[[nodiscard]] std::vector<std::vector<GroupLine>> directory_lines(const DupsFinding& found);

}  // namespace fathom::cli
