// The command line of `fathom threads`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/help.h"
#include "flags/threads_request.h"

namespace fathom::cli {

[[nodiscard]] const Manual& threads_manual();

// Parses the arguments, as parse_scan() does, without a system call. Throws UsageError.
[[nodiscard]] ThreadsRequest parse_threads(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
