// Sums: what deleting the marked entries would free, and what is in the plan.

#pragma once

#include "model/state.h"

namespace fathom::tui {

// Adds up marks and plan again, as far as that is known.
void refresh_sums(State& state);

}  // namespace fathom::tui
