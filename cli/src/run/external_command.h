// External commands: `fathom X` runs fathom-X from PATH or from the directory of this program, so
// that other packages can add commands.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// The X of every fathom-X in PATH and beside this program, sorted, without repetitions.
[[nodiscard]] std::vector<std::string> external_commands();

// Replaces the process by fathom-X with the arguments. Returns if there is no such program. Throws
// UsageError if it cannot run.
void run_external(const std::string& command, const std::vector<std::string>& arguments);

}  // namespace fathom::cli
