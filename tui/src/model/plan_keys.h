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
// Why the plan cannot be deleted, as a sentence; empty: it can.
[[nodiscard]] std::string_view why_not_deletable(const State& state);
// The word that deletes is typed.
inline constexpr std::string_view kWordToDelete = "delete";
[[nodiscard]] Effect press_remove(State& state, const Key& key);
[[nodiscard]] Effect press_undo(State& state, const Key& key);

// Says so if State::undoable is nothing.
[[nodiscard]] std::string_view why_not_undoable(const State& state);

// Asks whether to move back what can be moved back next, if there is something.
void ask_to_undo(State& state);

}  // namespace fathom::tui
