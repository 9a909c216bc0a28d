// The flags of `fathom dups`: a table from which parsing, help, the manual page and shell
// completion are derived.
//
//   DupsRequest request = parse_dups({"--min-size", "1M", "/srv"});

#pragma once

#include <string>
#include <vector>

#include "dups/request.h"
#include "flag/flag.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<Flag>& dups_flags();

// Parses the arguments, as parse_scan() does. Throws UsageError.
[[nodiscard]] DupsRequest parse_dups(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
