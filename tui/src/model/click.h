// Click: what the mouse does with what is below it.

#pragma once

#include <cstddef>
#include <cstdint>

#include "model/effect.h"
#include "model/state.h"

namespace fathom::tui {

struct Target {
  enum class Kind : std::uint8_t { nothing, view, row, planned };

  Kind kind = Kind::nothing;
  View view = View::tree;
  std::size_t index = 0;  // of the list or the plan

  friend bool operator==(const Target&, const Target&) = default;
};

// Selects a row, or opens the selected one; shows a view.
void click(State& state, const Target& target);

}  // namespace fathom::tui
