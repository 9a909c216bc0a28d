// Terminal: the capabilities of the destination of text.

#pragma once

namespace fathom::cli {

// The values of --color and --progress.
enum class When { automatic, always, never };

struct Terminal {
  unsigned width = 80;  // columns; at least kMinimumWidth
  unsigned height = 0;  // rows; 0: unknown
  bool person = false;  // whether it is a terminal; only there, text is cut to the width
  bool color = false;
  bool unicode = false;  // box drawing and other characters beyond ASCII
};

inline constexpr unsigned kMinimumWidth = 40;

// Queries the descriptor and the environment.
//
// The width is that of the terminal, or else COLUMNS, or else 80. The height is that of the
// terminal, or, if it reports none, LINES; a file or a pipe has none. Colour is enabled on
// terminals, unless NO_COLOR (https://no-color.org) or TERM=dumb disables it; `color` can override
// this. Unicode is enabled if LC_ALL, LC_CTYPE or LANG names a UTF-8 locale; setlocale() would take
// longer than a small scan.
[[nodiscard]] Terminal terminal_of(int fd, When color);

// Reads LC_ALL, LC_CTYPE and LANG.
[[nodiscard]] bool locale_is_utf8();

[[nodiscard]] bool is_terminal(int fd);

// Whether the descriptor is a terminal that can move its cursor.
[[nodiscard]] bool can_redraw(int fd);

}  // namespace fathom::cli
