// Help: what `fathom scan` can do, for people. Derived from the table of flags.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scan/flags.h"

namespace fathom::cli {

// The groups in the order in which help lists them, and what it calls them.
[[nodiscard]] std::span<const FlagGroup> flag_groups();
[[nodiscard]] std::string_view title(FlagGroup group);

// "-o, --output FILE", with what is left out of a column of letters: "    --si".
[[nodiscard]] std::string usage_of(const ScanFlag& flag);

// All flags below the titles of their groups, at most 80 columns wide.
[[nodiscard]] std::string flags_help();

// The text of `fathom scan --help`: everything, at most 80 columns wide.
[[nodiscard]] std::string scan_help();

// The text of `fathom scan -h`: what is needed most, in one screen of 80 columns and 24 lines.
[[nodiscard]] std::string brief_scan_help();

// What help says of the command besides its flags: a title and a paragraph each.
struct HelpSection {
  std::string_view title;
  std::string_view text;
};
[[nodiscard]] std::span<const HelpSection> help_sections();

// What a code of exit means.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};
[[nodiscard]] std::span<const ExitMeaning> exit_meanings();

// The paragraph that opens the complete help.
[[nodiscard]] std::string_view help_introduction();

}  // namespace fathom::cli
