// is_other(): tells two filesystems apart by what snapshots know of them.

#pragma once

#include "fathom/store/snapshot.h"

namespace fathom::store {

// Whether the filesystems that two snapshots describe are different ones, as far as is known.
[[nodiscard]] bool is_other(const SnapshotFilesystem& a, const SnapshotFilesystem& b);

}  // namespace fathom::store
