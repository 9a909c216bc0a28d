// The command line of `fathom serve`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/help.h"
#include "flags/serve_request.h"

namespace fathom::cli {

[[nodiscard]] const Manual& serve_manual();

// Parses the arguments, as parse_scan() does, without a system call. Throws UsageError.
[[nodiscard]] ServeRequest parse_serve(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
