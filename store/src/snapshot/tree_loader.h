// load_scan(): reads a snapshot as a scan.

#pragma once

#include "fathom/fs/scan.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// Throws base::Error, with the name of the file, if one is damaged.
[[nodiscard]] fs::Scan load_scan(const Snapshot::Files& files);

}  // namespace fathom::store
