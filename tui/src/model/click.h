// Click: what the mouse does with what is below it.

#pragma once

#include <cstddef>
#include <cstdint>

#include "model/effect.h"
#include "model/state.h"

namespace fathom::tui {

struct Target {
  enum class Kind : std::uint8_t { nothing, view, row, planned, boxed };

  Kind kind = Kind::nothing;
  View view = View::tree;
  std::size_t index = 0;          // of the list or the plan
  fs::NodeId node = fs::kNoNode;  // of a box of the map

  friend bool operator==(const Target&, const Target&) = default;
};

// Selects a row, or that of a box, or opens the selected one; shows a view.
void click(State& state, const Target& target);

}  // namespace fathom::tui
