// ParquetOutput: a scan as a Parquet file (--format parquet).

#pragma once

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "flags/scan_request.h"
#include "run/output.h"

namespace fathom::cli {

// Throws UsageError if the output is a terminal, which cannot show such a file.
void check_parquet(const Output& output);

// Throws base::Error if there is no memory or no thread.
void write_parquet(const ScanRequest& request, const fs::Scan& scan, const fs::Sink& sink);

}  // namespace fathom::cli
