// `fathom serve`: from arguments to an exit code.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// As scan_command() does.
[[nodiscard]] int serve_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
