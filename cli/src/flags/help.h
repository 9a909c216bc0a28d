// Help: the manual of a command, and the texts that are derived from it.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "flags/common_request.h"
#include "flags/flag.h"

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

// The description of a command, for its help, its manual page and shell completion.
struct Manual {
  std::string_view command;  // "scan"
  std::string_view operands = "[PATH...]";
  std::span<const Choice> acts = {};  // the operand is one of these; if empty, it is a path
  std::string_view purpose;           // a sentence: "Shows what fills a filesystem."
  std::string_view name_line;         // the NAME of the manual page: "show what fills a filesystem"
  std::string_view in_short;          // the first line of the brief help
  std::string_view introduction;      // the first paragraph of the full help
  std::span<const FlagHeading> headings;
  std::span<const Flag> flags;
  std::string_view examples;  // lines of the brief help
  std::span<const HelpSection> sections;
  std::span<const ExitMeaning> exits;
};

// ---- Texts

// "-o, --output FILE". A flag without a letter is indented: "    --si".
[[nodiscard]] std::string usage_of(const Flag& flag);

// All flags, below the headings of their groups, at most 80 columns wide.
[[nodiscard]] std::string flags_help(const Manual& manual);

// The text of `fathom COMMAND --help`: everything, at most 80 columns wide.
[[nodiscard]] std::string full_help(const Manual& manual);

// The text of `fathom COMMAND -h`: the most common options, on one screen of 80 columns and 24
// lines.
[[nodiscard]] std::string brief_help(const Manual& manual);

// One of the two.
[[nodiscard]] std::string help_text(const Manual& manual, Help help);

// A section that the commands share.
inline constexpr HelpSection kNamesSection = {
    "Names",
    "In text, names are escaped: \\n, \\x1b, \\u202e, \\\\ and the like stand for characters that "
    "a terminal would interpret or not show, \\x20 for a space at the beginning or end of a name."};

inline constexpr HelpSection kConditionsSection = {
    "Conditions",
    "EXPR compares fields with values by = != < <= > >=, in (A, B) and ~ (a pattern as in "
    "--exclude), and combines comparisons with and, or, not and parentheses. Fields: size and used "
    "(10G, 1.5GiB; of directories with everything in them), age (90d, 12h; since the last "
    "modification of the entry or of anything in it), mtime and newest (2026-01-31, 7d), owner, "
    "group, uid, gid, mode (0644), "
    "kind (file, dir, link, other), ext, name, path, depth, links, entries; of `fathom clean` also "
    "rule and class. A path is compared as it is shown, and with one that "
    "begins with / also as an absolute path. Quote values that contain spaces or operators. A "
    "value that is not known "
    "selects nothing, also under not."};

}  // namespace fathom::cli
