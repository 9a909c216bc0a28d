// `fathom clean`: lists what may be cleaned up.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Returns the exit code. Throws UsageError.
int clean_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
