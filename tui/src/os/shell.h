// Shell: the shell of the user, in a directory.

#pragma once

#include <string>

namespace fathom::tui {

// In how many browsers this program runs, by FATHOM_LEVEL; 0 if it is in none.
[[nodiscard]] unsigned browser_level();

// Runs $SHELL, with FATHOM_LEVEL increased, and waits for it. Returns what went wrong, as a
// sentence, or an empty text.
[[nodiscard]] std::string run_shell(const std::string& directory);

}  // namespace fathom::tui
