// FrozenSubvolume: a read-only snapshot of a subvolume of btrfs, for as long as it is being read.

#pragma once

#include <memory>

#include "fathom/base/fd.h"

namespace fathom::cli {

// As fs::ScanOptions::freeze needs it. The snapshot is in the subvolume, named
// .fathom-snapshot-PROCESS. A process that is killed leaves it behind; the next call on the same
// subvolume removes it. Throws base::Error with a reason that follows "it is walked: ".
[[nodiscard]] std::shared_ptr<const base::Fd> freeze_subvolume(int directory);

}  // namespace fathom::cli
