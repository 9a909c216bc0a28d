// Backtrace: whether the user wants one, and printing it.

#include "run/backtrace.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "fathom/base/error_text.h"
#include "term/message.h"
#include "term/terminal.h"

namespace fathom::cli {

bool wants_backtrace(std::span<char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--backtrace") return true;
    if (argument == "--") break;
  }
  const char* const asked = std::getenv("FATHOM_BACKTRACE");
  return asked != nullptr && std::string_view(asked) != "" && std::string_view(asked) != "0";
}

void show_backtrace(std::span<char* const> arguments, const std::exception& error) {
  if (!wants_backtrace(arguments)) return;
  const bool color = terminal_of(STDERR_FILENO, When::automatic).color;
  write_fully(STDERR_FILENO, base::error_text(error, {.color = color}));
}

}  // namespace fathom::cli
