// InfoPanel: everything that is known about the selected entry.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

void draw_info(const State& state, const Area& area, Grid& grid);

// One line about the selected row of the list.
[[nodiscard]] std::string info_line(const State& state);

// Facts about the selected entry, each with a title, which may be empty; nothing if there is none.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> info_lines(const State& state);

}  // namespace fathom::tui
