// The command line of `fathom snapshot`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/help.h"
#include "flags/snapshot_request.h"

namespace fathom::cli {

[[nodiscard]] const Manual& snapshot_manual();

// Parses the arguments without a system call. Throws UsageError.
[[nodiscard]] SnapshotRequest parse_snapshot(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
