// Help: the help texts of a command, derived from its table of flags.

#pragma once

#include <string>

#include "flag/manual.h"

namespace fathom::cli {

// "-o, --output FILE". A flag without a letter is indented: "    --si".
[[nodiscard]] std::string usage_of(const Flag& flag);

// All flags, below the headings of their groups, at most 80 columns wide.
[[nodiscard]] std::string flags_help(const Manual& manual);

// The text of `fathom COMMAND --help`: everything, at most 80 columns wide.
[[nodiscard]] std::string full_help(const Manual& manual);

// The text of `fathom COMMAND -h`: the most common options, on one screen of 80 columns and 24
// lines.
[[nodiscard]] std::string brief_help(const Manual& manual);

// A section that the commands share.
inline constexpr HelpSection kNamesSection = {
    "Names",
    "In text, names are escaped: \\n, \\x1b, \\u202e, \\\\ and the like stand for characters that "
    "a "
    "terminal would interpret or not show, \\x20 for a space at the beginning or end of a name."};

}  // namespace fathom::cli
