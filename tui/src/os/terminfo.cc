// Terminfo: reads capabilities by name. Compiled by itself, because term.h defines hundreds of
// macros.

#include "os/terminfo.h"

#include <cstdlib>

#include "fathom/base/error.h"

// Last: see above.
#include <curses.h>
#include <term.h>

namespace fathom::tui {

namespace {

// Without the marks of pauses that only terminals of paper need.
std::string without_padding(std::string text) {
  for (std::size_t at = text.find("$<"); at != std::string::npos; at = text.find("$<", at)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) break;
    text.erase(at, end + 1 - at);
  }
  return text;
}

// tigetstr() takes pointers to characters that it does not change.
const char* raw_capability(const char* name) {
  const char* const value = ::tigetstr(const_cast<char*>(name));
  return value == reinterpret_cast<const char*>(-1) ? nullptr : value;
}

std::string capability(const char* name) {
  const char* const value = raw_capability(name);
  return value == nullptr ? "" : without_padding(value);
}

std::string terminal_name() {
  const char* const name = std::getenv("TERM");
  return name == nullptr ? "" : name;
}

void find_colors(Capabilities& can) {
  const char* const form = raw_capability("setaf");
  if (form == nullptr || ::tigetnum(const_cast<char*>("colors")) < 8) return;
  for (std::size_t i = 0; i < can.foreground.size(); ++i) {
    const char* const text =
        ::tparm(const_cast<char*>(form), static_cast<long>(i), 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
    if (text != nullptr) can.foreground[i] = without_padding(text);
  }
}

std::function<std::string(unsigned x, unsigned y)> mover() {
  const std::string form = raw_capability("cup");
  if (form == "\x1b[%i%p1%d;%p2%dH") return standard_move;
  return [form](unsigned x, unsigned y) {
    const char* const text = ::tparm(const_cast<char*>(form.c_str()), static_cast<long>(y),
                                     static_cast<long>(x), 0L, 0L, 0L, 0L, 0L, 0L, 0L);
    return text == nullptr ? std::string() : without_padding(text);
  };
}

}  // namespace

TerminalAbilities terminal_abilities(int descriptor, bool color) {
  const std::string name = terminal_name();
  int found = 0;
  if (name.empty() || ::setupterm(nullptr, descriptor, &found) != OK) {
    throw base::Error("the terminal '" + name + "' (TERM) is unknown here; try TERM=xterm");
  }
  if (raw_capability("cup") == nullptr || raw_capability("clear") == nullptr) {
    throw base::Error("the terminal '" + name + "' (TERM) cannot place its cursor");
  }
  TerminalAbilities abilities;
  Capabilities& can = abilities.capabilities;
  can.move = mover();
  can.clear = capability("clear");
  can.clear_to_end_of_line = capability("el");
  can.reset = capability("sgr0");
  can.bold = capability("bold");
  can.reverse = capability("rev");
  can.show_cursor = capability("cnorm");
  can.hide_cursor = capability("civis");
  if (color) find_colors(can);
  abilities.enter = capability("smcup");
  abilities.leave = capability("rmcup");
  return abilities;
}

}  // namespace fathom::tui
