// ReportTable: a list of sums: types, ages, owners.

#pragma once

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

// The heading is the first row of the area.
void draw_report(const State& state, const Area& area, Grid& grid);

}  // namespace fathom::tui
