// `fathom browse`.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Returns the exit code.
[[nodiscard]] int browse_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
