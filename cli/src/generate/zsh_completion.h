// ZshCompletion: what zsh offers after `fathom` when a person presses the tabulator.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string zsh_completion();

}  // namespace fathom::cli
