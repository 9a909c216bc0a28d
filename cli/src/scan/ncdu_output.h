// NcduOutput: a scan in the export format of ncdu (--format ncdu).

#pragma once

#include <cstdint>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "scan/request.h"

namespace fathom::cli {

// Throws UsageError unless one directory is to be exported, and nothing else.
void check_ncdu(const ScanRequest& request);

// `taken` is when the scan was made. Throws base::Error as fs::write_ncdu() does.
void write_ncdu(const ScanRequest& request, const fs::Scan& scan, std::int64_t taken,
                const fs::Sink& sink);

}  // namespace fathom::cli
