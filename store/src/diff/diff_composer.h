// compose(): the balances, directories and lists of a difference.

#pragma once

#include <vector>

#include "diff/common_roots.h"
#include "diff/directory_pairs.h"
#include "diff/moves.h"
#include "diff/row_changes.h"
#include "diff/scope.h"
#include "fathom/store/diff.h"
#include "snapshot/directory_table.h"

namespace fathom::store {

// What the comparison of two snapshots has found. The balance of each node is about what is
// directly in its directory.
struct Compared {
  DirectoryTable& before;
  DirectoryTable& after;
  DirectoryPairs& pairs;
  const std::vector<CommonRoot>& roots;
  const Scope& scope;
  const RowChanges& changes;
  const Settled& settled;
};

// Sums the balances of the nodes, and adds to the difference what is in scope.
void compose(const Compared& compared, const DiffOptions& options, Diff& diff);

}  // namespace fathom::store
