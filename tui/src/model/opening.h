// Opening: what Enter and a second click do, and the way back.

#pragma once

#include "model/state.h"

namespace fathom::tui {

// Opens the selected row: a directory, the entries of a sum, or a group; goes to any other entry,
// or tells more about it.
void open_row(State& state);

// To the directory above, or from another view to the tree.
void go_up(State& state);

// Shows the selected entry of the plan in its directory.
void show_planned(State& state);

}  // namespace fathom::tui
