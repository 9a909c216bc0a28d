// Terminfo: what the terminal understands, from the database of the system.

#pragma once

#include <string>

#include "grid/frame.h"

namespace fathom::tui {

struct TerminalAbilities {
  Capabilities capabilities;
  std::string enter;  // the alternate screen
  std::string leave;
};

// Of the terminal that TERM names. Throws base::Error if it is unknown, or cannot place its cursor.
// Without color, no colours are used.
[[nodiscard]] TerminalAbilities terminal_abilities(int descriptor, bool color);

}  // namespace fathom::tui
