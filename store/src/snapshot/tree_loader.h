// load_scan(): reads a snapshot as a scan, or as the beginning of the next one.

#pragma once

#include "fathom/fs/earlier_scan.h"
#include "fathom/fs/scan.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// Throw base::Error, with the name of the file, if one is damaged.
[[nodiscard]] fs::Scan load_scan(const Snapshot::Files& files);
[[nodiscard]] fs::EarlierScan load_earlier_scan(const Snapshot::Files& files);

}  // namespace fathom::store
