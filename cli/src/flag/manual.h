// Manual: the description of a command, for its help, its manual page and shell completion.

#pragma once

#include <span>
#include <string_view>

#include "flag/flag.h"

namespace fathom::cli {

// A group of flags and its heading in the help.
struct FlagHeading {
  FlagGroup group;
  std::string_view title;
};

// A section of the help that is not about flags: a title and a paragraph.
struct HelpSection {
  std::string_view title;
  std::string_view text;
};

// The meaning of an exit code.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};

struct Manual {
  std::string_view command;       // "scan"
  std::string_view purpose;       // a sentence: "Shows what fills a filesystem."
  std::string_view name_line;     // the NAME of the manual page: "show what fills a filesystem"
  std::string_view in_short;      // the first line of the brief help
  std::string_view introduction;  // the first paragraph of the full help
  std::span<const FlagHeading> headings;
  std::span<const Flag> flags;
  std::span<const std::string_view> common;  // names of the flags that the brief help shows
  std::string_view examples;                 // lines of the brief help
  std::span<const HelpSection> sections;
  std::span<const ExitMeaning> exits;
};

}  // namespace fathom::cli
