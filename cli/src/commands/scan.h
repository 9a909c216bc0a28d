// `fathom scan`: runs the command and returns its exit code.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Writes the results to standard output or the requested file, and everything else to standard
// error. Throws UsageError if nothing has been done, and base::Error if the results are lost.
[[nodiscard]] int scan_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
