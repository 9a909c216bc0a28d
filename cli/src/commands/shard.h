// `fathom scan --shard`: scans a part, and adds it to a folder.

#pragma once

#include "flags/scan_request.h"

namespace fathom::cli {

// Prints part.json as one line, and returns the exit code. Throws UsageError if nothing was added.
[[nodiscard]] int shard_command(const ScanRequest& request);

}  // namespace fathom::cli
