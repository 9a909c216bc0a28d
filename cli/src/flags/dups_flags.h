// The command line of `fathom dups`: its flags, its manual, and parsing.
//
//   DupsRequest request = parse_dups({"--min-size", "1M", "/srv"});

#pragma once

#include <string>
#include <vector>

#include "flags/dups_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& dups_manual();

// Parses the arguments, as parse_scan() does, without a system call. Throws UsageError.
[[nodiscard]] DupsRequest parse_dups(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
