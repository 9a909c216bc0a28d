// PlanKeys: the plan pane, and the questions before anything is moved.

#pragma once

#include <string_view>

#include "grid/key.h"
#include "model/effect.h"
#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] Effect press_plan(State& state, const Key& key);
// Info about the selected entry of the plan.
[[nodiscard]] Effect press_planned(State& state, const Key& key);
[[nodiscard]] Effect press_apply(State& state, const Key& key);
[[nodiscard]] Effect press_undo(State& state, const Key& key);

inline constexpr std::string_view kNothingToUndo = "there is nothing to move back";

// Asks whether to move back what can be moved back next, if there is something.
void ask_to_undo(State& state);

}  // namespace fathom::tui
