// The command line of `fathom clean`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/clean_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& clean_manual();

// Parses the arguments without a system call. Throws UsageError.
[[nodiscard]] CleanRequest parse_clean(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
