// WhatIf: rows of a directory that are left out of its sums, to see what the others would be.

#pragma once

#include <cstddef>
#include <cstdint>

#include "model/state.h"

namespace fathom::tui {

struct LeftOut {
  std::size_t rows = 0;
  std::uint64_t bytes = 0;  // by State::how
};

// Of the directory on the screen.
[[nodiscard]] LeftOut left_out_here(const State& state);

// Leaves the selected row out of the sums, or takes it back.
void leave_out_or_not(State& state);

}  // namespace fathom::tui
