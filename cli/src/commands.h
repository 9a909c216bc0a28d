// Commands: what may stand after `fathom`, besides the programs that PATH adds.

#pragma once

#include <string_view>

namespace fathom::cli {

struct Command {
  std::string_view name;
  std::string_view argument;  // as help shows it
  std::string_view help;
};

inline constexpr Command kCommands[] = {
    {"scan", "[PATH...]", "what fills each PATH (default: the current directory)"},
    {"dups", "[PATH...]", "duplicate files in each PATH, compared byte by byte"},
    {"serve", "[PATH...]", "the same in a browser, while it is scanned and afterwards"},
    {"help", "[COMMAND]", "this text, or that of a command"},
};

}  // namespace fathom::cli
