// Moves and reattributions: what looks like a loss in one place and a gain in another, and is
// neither.

#pragma once

#include <span>
#include <vector>

#include "diff/directory_pairs.h"
#include "diff/row_changes.h"

namespace fathom::store {

// An entry that was moved.
struct MovedEntry {
  LoneEntry before;
  LoneEntry after;
};

struct Settled {
  std::vector<MovedEntry> moves;
  // Where bytes were and are that no entry was moved with: the names to which those of an inode are
  // charged, and what was replaced in a moved directory. Both have the facts of before; what has
  // changed since is a ChangedEntry of the second.
  std::vector<MovedEntry> carried;
};

// Charges to the nodes what changed, and finds moves of entries; `directory_moves` are known
// already. What was moved is removed from `gone` and `come`, and what was replaced becomes a
// change. Reattributed bytes are removed from the entries: what is left is what they have gained or
// lost.
[[nodiscard]] Settled settle(RowChanges& changes, std::vector<DiffNode>& nodes,
                             std::span<const DirectoryMove> directory_moves);

}  // namespace fathom::store
