// Applying: what is asked for when the plan is carried out, and what becomes of the plan then.

#pragma once

#include <vector>

#include "fathom/act/plan.h"
#include "fathom/tui/apply_report.h"
#include "model/state.h"

namespace fathom::tui {

// The entries of the plan in their order, with what the scan saw of them and the reasons of the
// rules that are about them.
[[nodiscard]] std::vector<act::Chosen> chosen_to_apply(const State& state);

// After they were applied: the plan has only what is still there, and State::why_left the reasons.
void take_applied(State& state, const ApplyReport& report);

// After they were moved back.
void take_undone(State& state, const UndoReport& report);

// The next directory to be scanned again, which is one of State::outdated no longer; kNoDir if
// there is none, or a scan runs.
[[nodiscard]] fs::DirId take_outdated(State& state);

}  // namespace fathom::tui
