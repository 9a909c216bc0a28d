// Press: what a key does. A function of the state and the key; what needs the system is returned as
// an effect for the caller to carry out.

#pragma once

#include <string>
#include <vector>

#include "grid/key.h"
#include "model/effect.h"
#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] Effect press(State& state, const Key& key);

// The entries that Effect::write means, in their order.
[[nodiscard]] std::vector<std::string> paths_to_write(const State& state);

}  // namespace fathom::tui
