// FirstState: what is shown before anything is known; takes the saved scan out of the options.

#pragma once

#include "fathom/tui/browse.h"
#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] State first_state(BrowseOptions& options);

}  // namespace fathom::tui
