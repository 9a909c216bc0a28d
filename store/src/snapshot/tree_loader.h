// load_scan(): reads a snapshot as a scan; decode_values(): reads all of it.

#pragma once

#include "fathom/fs/scan.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

// Throws base::Error, with the name of the file, if one is damaged.
[[nodiscard]] fs::Scan load_scan(const Snapshot::Files& files);

// Decodes every value of entries.parquet and dirs.parquet, also of columns that a scan does not
// need. Throws base::Error, with the name of the file, if one is damaged.
void decode_values(const Snapshot::Files& files);

}  // namespace fathom::store
