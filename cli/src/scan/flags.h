// The flags of `fathom scan`: a table from which parsing, help, the manual page and shell
// completion are derived.
//
//   ScanRequest request = parse_scan({"--largest-files", "10", "/srv"});

#pragma once

#include <string>
#include <vector>

#include "flag/flag.h"
#include "scan/request.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<Flag>& scan_flags();

// Parses the arguments. Throws UsageError.
//
// Flags and paths may be mixed. A later flag overrides an earlier one, except for reports, which
// accumulate. After "--", everything is a path.
[[nodiscard]] ScanRequest parse_scan(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
