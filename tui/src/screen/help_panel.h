// HelpPanel: the keys.

#pragma once

#include <cstddef>

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

// How many lines are not shown on a screen of the size of the state.
[[nodiscard]] std::size_t hidden_help_lines(const State& state);

// From the line State::scroll on, as far as there are lines.
void draw_help(const State& state, const Area& area, Grid& grid);

}  // namespace fathom::tui
