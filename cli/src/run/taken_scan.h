// TakenScan: a scan as a command gets it: made now, or read from a file.

#pragma once

#include <cstdint>

#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/scan.h"
#include "flags/common_request.h"
#include "run/interrupt.h"
#include "term/progress_line.h"

namespace fathom::cli {

struct TakenScan {
  fs::Scan scan;
  std::int64_t now = 0;     // the time to which ages are relative: that of the scan
  std::uint64_t rules = 0;  // as in store::SnapshotMeta
};

// Scans the paths of the request, or reads its saved scan, with the selection at the time of the
// scan. From then on a signal ends the program. Throws UsageError if the file cannot be read.
[[nodiscard]] TakenScan take_scan(const CommonRequest& request, fs::ScanOptions options,
                                  const fs::SelectionAt& selection, Interrupt& interrupt,
                                  ProgressRequest& asked);

}  // namespace fathom::cli
