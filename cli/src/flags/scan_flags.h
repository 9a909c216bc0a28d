// The command line of `fathom scan`: its flags, its manual, and parsing.
//
//   ScanRequest request = parse_scan({"--largest-files", "10", "/srv"});

#pragma once

#include <string>
#include <vector>

#include "flags/help.h"
#include "flags/scan_request.h"

namespace fathom::cli {

[[nodiscard]] const Manual& scan_manual();

// Parses the arguments, without a system call. Throws UsageError.
//
// Flags and paths may be mixed. A later flag overrides an earlier one, except for reports, which
// accumulate. After "--", everything is a path.
[[nodiscard]] ScanRequest parse_scan(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
