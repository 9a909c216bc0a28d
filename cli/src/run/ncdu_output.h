// NcduOutput: a scan in the export format of ncdu (--format ncdu).

#pragma once

#include <cstdint>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "flags/scan_request.h"

namespace fathom::cli {

// Throws UsageError if the path to export is not a directory.
void check_ncdu(const ScanRequest& request);

// `taken` is the time of the scan, in seconds since the epoch. Throws base::Error as
// fs::write_ncdu() does.
void write_ncdu(const ScanRequest& request, const fs::Scan& scan, std::int64_t taken,
                const fs::Sink& sink);

}  // namespace fathom::cli
