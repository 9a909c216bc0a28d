// `fathom apply` and `fathom undo`.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Return the exit code.
[[nodiscard]] int apply_command(const std::vector<std::string>& arguments);
[[nodiscard]] int undo_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
