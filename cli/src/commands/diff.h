// `fathom diff`: runs the command and returns its exit code.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Output and exceptions are as for scan_command().
[[nodiscard]] int diff_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
