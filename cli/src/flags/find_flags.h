// The command line of `fathom find`: its flags, its manual, and parsing.
//
//   FindRequest request = parse_find({"*.log", "core", "/srv"});

#pragma once

#include <string>
#include <vector>

#include "flags/find_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& find_manual();

// Parses the arguments, without a system call. Throws UsageError.
//
// An argument with a slash, "." and ".." are paths, and all others are patterns. With "--", what
// precedes it are patterns, and what follows are paths.
[[nodiscard]] FindRequest parse_find(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
