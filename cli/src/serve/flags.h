// The flags of `fathom serve`: a table from which parsing, help, the manual page and shell
// completion are derived.

#pragma once

#include <string>
#include <vector>

#include "flag/flag.h"
#include "serve/request.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<Flag>& serve_flags();

// Parses the arguments, as parse_scan() does. Throws UsageError.
[[nodiscard]] ServeRequest parse_serve(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
