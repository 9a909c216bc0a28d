// `fathom threads`: runs a command or watches a process, and reports what its threads did.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// Returns the exit code. Throws UsageError.
int threads_command(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
