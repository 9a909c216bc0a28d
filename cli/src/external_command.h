// External commands: `fathom X` runs fathom-X from PATH, or else from beside this program,
// so that others can add commands.

#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

// The X of every fathom-X that PATH has, sorted, each once.
[[nodiscard]] std::vector<std::string> external_commands();

// Becomes fathom-X with the arguments. Throws UsageError when there is none, or when it cannot run.
[[noreturn]] void run_external(const std::string& command,
                               const std::vector<std::string>& arguments);

}  // namespace fathom::cli
