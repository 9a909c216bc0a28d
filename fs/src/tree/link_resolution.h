// Decides which path owns an entry that was reached twice, so that every byte is counted once and
// always at the same path.

#pragma once

#include <functional>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// Calls mark(node, kRepeated) for each entry that is owned by another path by which it was also
// reached, and mark(node, kExtraLink) for each name of a hard-linked inode except the smallest
// path.
//
// Of the copies of a directory, the one with the fewest names in its path owns everything below.
// The non-directory entries of a repeated directory are repeated too, because the other copy has
// the same. Directories inside it are decided individually, with the same result unless something
// is mounted there.
void resolve_hard_links_and_repeats(const Tree& tree,
                                    const std::function<void(NodeId, NodeFlag)>& mark);

}  // namespace fathom::fs
