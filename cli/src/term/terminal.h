// Terminal: what the place that text goes to can show.

#pragma once

namespace fathom::cli {

// The value of --color and --progress.
enum class When { automatic, always, never };

struct Terminal {
  unsigned width = 80;  // columns; at least kMinimumWidth
  unsigned height = 0;  // rows; 0: unknown
  bool person = false;  // whether it is a terminal at all: what does not fit is cut for a person
  bool color = false;
  bool unicode = false;  // box drawing and the like, beyond ASCII
};

inline constexpr unsigned kMinimumWidth = 40;

// Asks the descriptor and the environment.
//
// The width is the terminal's, else that of COLUMNS, else 80. Colour is for terminals alone, and
// not where NO_COLOR (https://no-color.org) or TERM=dumb forbids it, unless `color` says always.
// Unicode is for locales of UTF-8, by LC_ALL, LC_CTYPE and LANG: setlocale() would take longer than
// a small scan.
[[nodiscard]] Terminal terminal_of(int fd, When color);

// By LC_ALL, LC_CTYPE and LANG.
[[nodiscard]] bool locale_is_utf8();

// A terminal that can move its cursor.
[[nodiscard]] bool can_redraw(int fd);

}  // namespace fathom::cli
