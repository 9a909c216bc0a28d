// ZshCompletion: the completion script for zsh.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string zsh_completion();

}  // namespace fathom::cli
