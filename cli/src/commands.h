// Commands: the built-in commands of `fathom`. Programs in PATH add others: see external_command.h.

#pragma once

#include <string_view>

namespace fathom::cli {

struct Command {
  std::string_view name;
  std::string_view argument;  // its name in the help
  std::string_view help;
};

inline constexpr Command kCommands[] = {
    {"scan", "[PATH...]", "show what fills each PATH (default: the current directory)"},
    {"dups", "[PATH...]", "find duplicate files in each PATH, compared byte by byte"},
    {"serve", "[PATH...]", "show each PATH in a browser, during the scan and after it"},
    {"help", "[COMMAND]", "show this text, or the help of a command"},
};

}  // namespace fathom::cli
