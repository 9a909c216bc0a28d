// Screen: a pure function of the state to the grid that shows it.

#pragma once

#include "grid/grid.h"
#include "model/state.h"

namespace fathom::tui {

// As large as the state says. Requires that the state is settled.
[[nodiscard]] Grid draw(const State& state);

}  // namespace fathom::tui
