// `fathom scan`: from arguments to an exit code.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Results go to standard output or the file that was asked for, everything else to standard error.
// Throws UsageError when nothing was done, and base::Error when the results are lost.
[[nodiscard]] int scan_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
