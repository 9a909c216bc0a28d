// WriteList: the paths of the plan, or else of the marks, in a file for other programs.

#pragma once

#include <string>

#include "model/state.h"

namespace fathom::tui {

// Writes the file, which must not exist, and returns a sentence about it.
[[nodiscard]] std::string write_list(const State& state, const std::string& file);

}  // namespace fathom::tui
