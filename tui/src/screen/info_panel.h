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

// From the line State::scroll on, as far as there are lines.
void draw_info(const State& state, const Area& area, Grid& grid);

// How many lines there are besides those on the screen.
[[nodiscard]] std::size_t hidden_info_lines(const State& state);

// One line about the selected row of the list, or entry of the plan.
[[nodiscard]] std::string info_line(const State& state);

// Facts about the selected entry, each with a title, which may be empty; nothing if there is none.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> info_lines(const State& state);

}  // namespace fathom::tui
