// Questions: the texts of dialogs, as lines. The last one has the keys.

#pragma once

#include <string>
#include <vector>

#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] std::vector<std::string> quit_question(const State& state);
[[nodiscard]] std::vector<std::string> apply_question(const State& state);
[[nodiscard]] std::vector<std::string> undo_question();

}  // namespace fathom::tui
