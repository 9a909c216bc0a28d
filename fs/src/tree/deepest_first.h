// The directories of a tree, the deepest first, so that a pass can add sums to the parents.

#pragma once

#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

[[nodiscard]] std::vector<DirId> deepest_first(const Tree& tree);

}  // namespace fathom::fs
