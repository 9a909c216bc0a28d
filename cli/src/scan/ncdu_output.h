// NcduOutput: a scan in the export format of ncdu (--format ncdu).

#pragma once

#include <cstdint>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "scan/request.h"

namespace fathom::cli {

// Throws UsageError unless the request is to export exactly one directory and no report.
void check_ncdu(const ScanRequest& request);

// `taken` is the time of the scan, in seconds since the epoch. Throws base::Error as
// fs::write_ncdu() does.
void write_ncdu(const ScanRequest& request, const fs::Scan& scan, std::int64_t taken,
                const fs::Sink& sink);

}  // namespace fathom::cli
