// Applying: what is asked for when the plan is carried out or written, and what becomes of it then.

#pragma once

#include <vector>

#include "fathom/act/plan.h"
#include "fathom/tui/apply_report.h"
#include "model/state.h"

namespace fathom::tui {

// The entries of the plan or the marks, in their order, with what the scan saw of them and the
// reasons of the rules that are about them.
[[nodiscard]] std::vector<act::Chosen> chosen_in(const State& state, const Basket& basket);

// Those of the plan, to be deleted for good.
[[nodiscard]] std::vector<act::Chosen> chosen_to_delete(const State& state);

// After they were applied: the plan has only what is still there, and State::why_left the reasons.
void take_applied(State& state, const ApplyReport& report);

// After they were written: State::why_left has what is not in the file.
void take_written(State& state, const WriteReport& report);

// After they were moved back.
void take_undone(State& state, const UndoReport& report);

// The next directory to be scanned again, which is one of State::outdated no longer; kNoDir if
// there is none, or a scan runs.
[[nodiscard]] fs::DirId take_outdated(State& state);

}  // namespace fathom::tui
