// Manual: what is told of a command: by its help, by its manual page, and by shells that complete.

#pragma once

#include <span>
#include <string_view>

#include "flag/flag.h"

namespace fathom::cli {

// A group of flags, and what help calls it.
struct FlagHeading {
  FlagGroup group;
  std::string_view title;
};

// What help says of the command besides its flags: a title and a paragraph each.
struct HelpSection {
  std::string_view title;
  std::string_view text;
};

// What a code of exit means.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};

struct Manual {
  std::string_view command;    // "scan"
  std::string_view purpose;    // a sentence: "Shows what fills a filesystem."
  std::string_view name_line;  // the same as manual pages have it: "show what fills a filesystem"
  std::string_view in_short;   // how the brief help begins
  std::string_view introduction;  // the paragraph that opens the complete help
  std::span<const FlagHeading> headings;
  std::span<const Flag> flags;
  std::span<const std::string_view> common;  // names of the flags that the brief help shows
  std::string_view examples;                 // of the brief help: lines
  std::span<const HelpSection> sections;
  std::span<const ExitMeaning> exits;
};

}  // namespace fathom::cli
