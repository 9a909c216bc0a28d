// Completion: the completion scripts for shells.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string fish_completion();
[[nodiscard]] std::string zsh_completion();

}  // namespace fathom::cli
