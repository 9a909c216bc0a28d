// The command line of `fathom diff`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/diff_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& diff_manual();

// Parses the arguments without a system call. Throws UsageError.
[[nodiscard]] DiffRequest parse_diff(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
