// KeptScan: the facts about a scan that a snapshot holds beside its entries.

#pragma once

#include <cstdint>

#include "fathom/store/snapshot.h"
#include "flags/snapshot_request.h"
#include "run/taken_scan.h"

namespace fathom::cli {

// Puts the paths into the order of where they lead, each once: which of two nested paths is charged
// depends on the order. Throws UsageError if it is not known where one leads, because the current
// directory was removed.
void order_paths(CommonRequest& request);

// What a scan of this machine says about itself; it began at `started_ns`, and ends now.
[[nodiscard]] store::SnapshotOptions facts_of_scan(const fs::Scan& scan, std::int64_t started_ns);

// The same with what the user has asked for. `started_ns` is when the scan began; it ends now. A
// saved scan has only the time when it was made.
[[nodiscard]] store::SnapshotOptions snapshot_options(const SnapshotRequest& request,
                                                      const TakenScan& taken,
                                                      std::int64_t started_ns);

}  // namespace fathom::cli
