// Decides which path owns what was reached twice, so that every byte is counted once and always in
// the same place.

#pragma once

#include <functional>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// Calls mark(node, kRepeated) for each entry that was reached by another path too which owns it,
// and mark(node, kExtraLink) for each further name of a hard-linked inode but the smallest path.
//
// Of the copies of a directory the one with the fewest names in its path owns all that is below. A
// repeated directory makes what it directly holds repeated: its other copy holds the same. The
// directories in it are decided for themselves, alike where nothing is mounted there.
void resolve_hard_links_and_repeats(const Tree& tree,
                                    const std::function<void(NodeId, NodeFlag)>& mark);

}  // namespace fathom::fs
