// The directories of a tree, the deepest first: whoever hands sums up stands before its parent.

#pragma once

#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

[[nodiscard]] std::vector<DirId> deepest_first(const Tree& tree);

}  // namespace fathom::fs
