// DirectoryLines: equal directories in the order in which people read them, each with what becomes
// of it, were only those files kept that are to be.

#pragma once

#include <vector>

#include "dups/finding.h"
#include "dups/group_lines.h"

namespace fathom::cli {

// For each group of directories: keep for the only one that holds files that are kept, be it
// deeper; part for each where several do; then copy for the others. Equals stand by path.
[[nodiscard]] std::vector<std::vector<GroupLine>> directory_lines(const DupsFinding& found);

}  // namespace fathom::cli
