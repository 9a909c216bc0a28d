// Titles: the line with the names of the views.

#pragma once

#include <string>
#include <vector>

#include "grid/grid.h"
#include "model/state.h"

namespace fathom::tui {

struct Title {
  View view = View::tree;
  unsigned x = 0;
  std::string text;
};

// As much of the names as there is room for beside what the list is sorted and filtered by.
[[nodiscard]] std::vector<Title> titles_of(const State& state, unsigned width);

void draw_titles(const State& state, Grid& grid);

}  // namespace fathom::tui
