// Scanning: a scan as a command runs it, which can be interrupted and tells how far it is.

#pragma once

#include "fathom/fs/scan.h"
#include "flag/common_request.h"
#include "interrupt.h"
#include "progress_request.h"

namespace fathom::cli {

// A scan that may hold more directories open opens fewer of them twice.
void allow_more_descriptors();

// Fills in what the options say of cancelling and of progress, and scans. A filesystem that does
// not answer ends the process some time after it was interrupted.
[[nodiscard]] fs::Scan scan_for_people(fs::ScanOptions options, const CommonRequest& request,
                                       Interrupt& interrupt, ProgressRequest& asked);

}  // namespace fathom::cli
