// Sums: how many items are marked and planned, and what deleting them would free.

#pragma once

#include "model/state.h"

namespace fathom::tui {

// Adds up marks and plan again, as far as that is known.
// Those of many entries take longer than a key may, so they are left for later.
void refresh_sums(State& state);
// Call this when State::sums_wait and there is no key to press.
void finish_sums(State& state);

}  // namespace fathom::tui
