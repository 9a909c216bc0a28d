// Terminal: queries the descriptor and the environment.

#include "term/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace fathom::cli {

namespace {

constexpr unsigned kMaximumSide = 1000;  // a larger value is a mistake and would waste memory

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// 0 if it is not a number.
unsigned number_variable(const char* name) {
  const std::string_view text = variable(name);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

bool wants_color(bool terminal, When color) {
  if (color != When::automatic) return color == When::always;
  const std::string_view term = variable("TERM");
  return terminal && variable("NO_COLOR").empty() && !term.empty() && term != "dumb";
}

}  // namespace

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    return ::strcasestr(value.data(), "utf-8") != nullptr ||
           ::strcasestr(value.data(), "utf8") != nullptr;
  }
  return false;
}

Terminal terminal_of(int fd, When color) {
  Terminal terminal;
  const bool is_terminal = ::isatty(fd) == 1;
  unsigned width = 0;
  winsize size{};
  if (is_terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0) {
    width = size.ws_col;
    terminal.height = size.ws_row;
  }
  if (width == 0) width = number_variable("COLUMNS");
  if (width != 0) terminal.width = std::clamp(width, kMinimumWidth, kMaximumSide);
  if (is_terminal && terminal.height == 0) {
    terminal.height = std::min(number_variable("LINES"), kMaximumSide);
  }
  terminal.person = is_terminal;
  terminal.color = wants_color(is_terminal, color);
  terminal.unicode = locale_is_utf8();
  return terminal;
}

bool is_terminal(int fd) {
  return ::isatty(fd) == 1;
}

bool can_redraw(int fd) {
  return ::isatty(fd) == 1 && variable("TERM") != "dumb";
}

}  // namespace fathom::cli
