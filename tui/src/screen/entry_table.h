// EntryTable: a list of entries with their columns.

#pragma once

#include <string>

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

// The heading is the first row of the area.
void draw_entries(const State& state, const Area& area, Grid& grid);

// The sign of a row: what is special about it. See the help.
[[nodiscard]] char sign_of(const State& state, const Listing::Row& row);

// The path of an entry below that of the scan.
[[nodiscard]] std::string path_below_top(const State& state, fs::NodeId node);

}  // namespace fathom::tui
