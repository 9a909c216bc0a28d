// The command line of `fathom store`: its flags, its manual, and parsing.

#pragma once

#include <string>
#include <vector>

#include "flags/help.h"
#include "flags/store_request.h"

namespace fathom::cli {

[[nodiscard]] const Manual& store_manual();

// Parses the arguments without a system call. Throws UsageError.
[[nodiscard]] StoreRequest parse_store(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
