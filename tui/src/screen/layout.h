// Layout: where the list and the plan are, and what is at a place of the screen.

#pragma once

#include <optional>

#include "model/click.h"
#include "model/state.h"
#include "screen/area.h"

namespace fathom::tui {

struct Layout {
  std::optional<Area> list;  // each with its heading in the first row
  std::optional<Area> plan;
  std::optional<Area> map;
};

// Of a screen that is large enough, unless something is above the list.
[[nodiscard]] Layout layout_of(const State& state, unsigned width, unsigned height);

// What is at that place, from 0, that a click can choose.
[[nodiscard]] Target target_at(const State& state, unsigned x, unsigned y);

}  // namespace fathom::tui
