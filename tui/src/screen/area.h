// Area: the part of a grid that a panel may use.

#pragma once

namespace fathom::tui {

struct Area {
  unsigned x = 0;
  unsigned y = 0;
  unsigned width = 0;
  unsigned height = 0;
};

}  // namespace fathom::tui
