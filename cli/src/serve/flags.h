// The flags of `fathom serve`: one table, from which parsing, help, the manual page and what shells
// complete are derived.

#pragma once

#include <string>
#include <vector>

#include "flag/flag.h"
#include "serve/request.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<Flag>& serve_flags();

// Throws UsageError.
[[nodiscard]] ServeRequest parse_serve(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
