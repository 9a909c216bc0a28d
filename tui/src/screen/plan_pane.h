// PlanPane: what is in the plan, and what it would free.

#pragma once

#include <limits>
#include <string>

#include "grid/grid.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

// The heading is the first row of the area. Its keys are those of Layer::plan.
void draw_plan(const State& state, const Area& area, Grid& grid);

// Whether something in the basket could not be read, or the scan has not ended.
[[nodiscard]] bool has_lower_bounds(const State& state, const Basket& basket);

// "2 items, 389,997 entries, frees 57.9 GiB (1.3 GiB stay, shared)", as much as there is room for.
[[nodiscard]] std::string sums_text(const State& state, const Basket& basket, std::size_t items,
                                    const std::optional<fs::Freed::Sums>& sums,
                                    unsigned room = std::numeric_limits<unsigned>::max());

}  // namespace fathom::tui
