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
// Returns the directory that contains all that was moved, to be scanned again; kNoDir if there is
// none.
[[nodiscard]] fs::DirId take_applied(State& state, const ApplyReport& report);

}  // namespace fathom::tui
