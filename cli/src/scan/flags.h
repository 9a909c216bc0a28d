// The flags of `fathom scan`: one table, from which parsing, help, the manual page and
// what shells complete are derived.
//
//   ScanRequest request = parse_scan({"--largest-files", "10", "/srv"});

#pragma once

#include <string>
#include <vector>

#include "flag/flag.h"
#include "scan/request.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<Flag>& scan_flags();

// Throws UsageError. Does nothing but read the arguments.
//
// Flags and paths may be mixed; a later flag overrides an earlier one, reports add up. After "--"
// everything is a path.
[[nodiscard]] ScanRequest parse_scan(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
