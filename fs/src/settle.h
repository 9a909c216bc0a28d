// Decides which path owns what was reached twice, so that every byte is counted once and always in
// the same place.

#pragma once

#include <functional>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// Calls mark(node, kRepeated) for each entry that was reached by a smaller path too, and mark(node,
// kExtraLink) for each further name of a hard-linked inode.
//
// A repeated directory makes what it directly holds repeated: its other copy holds the same. Below
// that each directory is decided for itself.
void settle(const Tree& tree, const std::function<void(NodeId, Flag)>& mark);

}  // namespace fathom::fs
