// Press: what a key does. A function of the state and the key; what needs the system is returned as
// an effect for the caller to carry out.

#pragma once

#include <string>
#include <vector>

#include "fathom/act/plan.h"
#include "grid/key.h"
#include "model/effect.h"
#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] Effect press(State& state, const Key& key);

// After the plan was applied: it is empty now. Returns the directory that contains all that was in
// it, to be scanned again; kNoDir if there is none.
[[nodiscard]] fs::DirId forget_applied_plan(State& state);

// The entries of the plan, with what the scan saw of them and the reasons of the rules that are
// about them.
[[nodiscard]] std::vector<act::Chosen> chosen_to_apply(const State& state);

// The entries that Effect::write means, in their order.
[[nodiscard]] std::vector<std::string> paths_to_write(const State& state);

}  // namespace fathom::tui
