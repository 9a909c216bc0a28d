// The command line of `fathom growth`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/growth_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& growth_manual();

// Parses the arguments without a system call. Throws UsageError.
[[nodiscard]] GrowthRequest parse_growth(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
