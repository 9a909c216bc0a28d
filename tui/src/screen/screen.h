// Screen: a pure function of the state to the grid that shows it.

#pragma once

#include "grid/grid.h"
#include "model/state.h"

namespace fathom::tui {

// As large as the state says. Requires that the state is settled.
[[nodiscard]] Grid draw(const State& state);

// Scrolls back to the last line of what is shown above the list. Call it after each key.
void settle_scroll(State& state);

}  // namespace fathom::tui
