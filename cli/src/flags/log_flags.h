// The command line of `fathom log`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/help.h"
#include "flags/log_request.h"

namespace fathom::cli {

[[nodiscard]] const Manual& log_manual();

// Parses the arguments without a system call. Throws UsageError.
[[nodiscard]] LogRequest parse_log(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
