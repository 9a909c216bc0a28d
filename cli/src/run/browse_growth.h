// BrowseGrowth: what has changed since the newest snapshot of what `fathom browse` shows.

#pragma once

#include "fathom/fs/measure.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "fathom/tui/browse.h"
#include "flags/browse_request.h"

namespace fathom::cli {

// Compares a complete scan with the newest snapshot that this machine has kept of the same roots.
// Throws base::Error with a sentence if there is none, and if the comparison was cancelled.
[[nodiscard]] tui::Growth growth_since_snapshot(const BrowseRequest& request, const fs::Scan& scan,
                                                fs::Measure measure, const rt::CancelToken& cancel);

}  // namespace fathom::cli
