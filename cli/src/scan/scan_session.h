// Scan session: a scan as a command runs it, which can be interrupted and reports its progress.

#pragma once

#include "fathom/fs/scan.h"
#include "flag/common_request.h"
#include "interrupt.h"
#include "progress_request.h"

namespace fathom::cli {

// Raises the limit of open descriptors: a scan that keeps more directories open reopens fewer.
void allow_more_descriptors();

// Sets the options for cancelling and progress, and scans. If the filesystem does not answer, ends
// the process InterruptGrace::kSeconds after an interruption.
[[nodiscard]] fs::Scan run_scan_session(fs::ScanOptions options, const CommonRequest& request,
                                        Interrupt& interrupt, ProgressRequest& asked);

}  // namespace fathom::cli
