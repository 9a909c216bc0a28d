// compare_files(): compare(), from files that need not belong to a Snapshot.

#pragma once

#include "fathom/rt/executor.h"
#include "fathom/store/diff.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

[[nodiscard]] Diff compare_files(const Snapshot::Files& before, const Snapshot::Files& after,
                                 const DiffOptions& options, rt::Executor& executor);

}  // namespace fathom::store
