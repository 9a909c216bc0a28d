// The command line of `fathom find`: its flags, its manual, and parsing.
//
//   FindRequest request = parse_find({"*.log", "core", "/srv"}, leads_to_directory);

#pragma once

#include <string>
#include <vector>

#include "flags/find_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& find_manual();

using IsDirectory = bool (*)(const std::string& path);

// Parses the arguments, without a system call other than those of is_directory. Throws UsageError.
//
// An argument with a slash, "." and ".." are paths, and so are directories after a pattern with a
// wildcard; all others are patterns. With "--", what precedes it are patterns, and what follows are
// paths.
[[nodiscard]] FindRequest parse_find(const std::vector<std::string>& arguments,
                                     IsDirectory is_directory);

}  // namespace fathom::cli
