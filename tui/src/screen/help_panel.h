// HelpPanel: the keys.

#pragma once

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

// From the line State::scroll on, as far as there are lines.
void draw_help(const State& state, const Area& area, Grid& grid);

}  // namespace fathom::tui
