// RowText: rows as sentences that can be read aloud.

#pragma once

#include <cstddef>
#include <string>

#include "model/state.h"

namespace fathom::tui {

// Which list it is, and its sums.
[[nodiscard]] std::string place_text(const State& state);

// The row at that place of the list, which must have been shown.
[[nodiscard]] std::string row_text(const State& state, std::size_t index);

// An entry of the plan.
[[nodiscard]] std::string entry_text(const State& state, const fs::Chosen& entry);

// The sums of the plan, and those of the marks.
[[nodiscard]] std::string plan_text(const State& state);
[[nodiscard]] std::string marks_text(const State& state);

}  // namespace fathom::tui
