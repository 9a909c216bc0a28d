// MapPanel: the directory as boxes, whose areas are the bytes of what is in it.

#pragma once

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

void draw_map(const State& state, const Area& area, Grid& grid);

// The entry whose box is there; kNoNode if there is none.
[[nodiscard]] fs::NodeId map_entry_at(const State& state, const Area& area, unsigned x, unsigned y);

}  // namespace fathom::tui
