// InfoPanel: everything that is known about the selected entry.

#pragma once

#include <string>

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

void draw_info(const State& state, const Area& area, Grid& grid);

// One line about the selected row of the list.
[[nodiscard]] std::string info_line(const State& state);

}  // namespace fathom::tui
