// Frame: the bytes that change what a terminal shows from one grid to another, in one piece.

#pragma once

#include <array>
#include <functional>
#include <string>

#include "grid/grid.h"

namespace fathom::tui {

// What a terminal understands, as sequences of bytes. The default is a terminal by ECMA-48 without
// colours.
struct Capabilities {
  std::function<std::string(unsigned x, unsigned y)> move;
  std::string clear = "\x1b[H\x1b[2J";
  std::string clear_to_end_of_line = "\x1b[K";  // empty: blanks are written
  std::string reset = "\x1b[0m";
  std::string bold = "\x1b[1m";
  std::string reverse = "\x1b[7m";
  std::array<std::string, 8> foreground;  // by colour; empty: none
  std::string show_cursor = "\x1b[?25h";
  std::string hide_cursor = "\x1b[?25l";
  // Around a frame, so that the terminal shows it at once; empty: it does not know this.
  std::string begin_update;
  std::string end_update;
};

// Moves by ECMA-48.
[[nodiscard]] std::string standard_move(unsigned x, unsigned y);

// Empty if nothing changed. A grid of another size than the one before is drawn as a whole.
//
// Nobody knows how wide a terminal draws characters that are not ASCII, so the cursor is placed
// again after each run of them.
[[nodiscard]] std::string frame(const Grid& before, const Grid& now,
                                const Capabilities& capabilities);

}  // namespace fathom::tui
