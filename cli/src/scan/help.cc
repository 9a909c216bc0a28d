#include "scan/help.h"

#include <algorithm>
#include <cstddef>

#include "exit_code.h"
#include "term/number.h"
#include "term/wrapped.h"

namespace fathom::cli {

namespace {

constexpr unsigned kHelpColumn = 28;
constexpr unsigned kHelpWidth = 80;

constexpr FlagGroup kGroups[] = {FlagGroup::report, FlagGroup::output, FlagGroup::select,
                                 FlagGroup::scan, FlagGroup::display};

// What the brief help shows: a line each.
constexpr std::string_view kCommon[] = {"largest-files",   "largest-dirs", "recent", "extensions",
                                        "errors",          "format",       "output", "sort",
                                        "one-file-system", "exclude",      "depth",  "top"};

constexpr std::string_view kIntroduction =
    "Scans each PATH (default: the current directory) with all below it. Symbolic links are not "
    "followed, and what has several names is counted once. After --, everything is a PATH.";

constexpr HelpSection kSections[] = {
    {"Names",
     "Names are escaped in text: \\n, \\x1b, \\u202e, \\\\ and the like stand for what a terminal "
     "would obey or not show, \\x20 for a blank that a name begins or ends with."},
    {"Environment",
     "COLUMNS is the width of the picture where the output is no terminal (default: 80; a terminal "
     "is asked for its own, at least 40 are used). NO_COLOR, not empty, turns colours off. LC_ALL, "
     "LC_CTYPE and LANG decide whether more than ASCII is shown; if it is not, names are escaped: "
     "\\u00f6."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results has closed its pipe, having seen enough"},
    {kIncomplete,
     "something could not be read, so that the sizes are lower bounds; or the results could not be "
     "written"},
    {kWrongUsage,
     "wrong usage, or a FILE of -o, --from or --exclude-from that cannot be opened; nothing done"},
    {kInterrupted,
     "interrupted, by Ctrl-C, SIGTERM or SIGHUP; what was found until then is printed. "
     "Interrupting "
     "again ends at once"},
};

// Appends the text, broken between words; the line so far has `margin` columns, as will the others.
void append_wrapped(std::string& help, std::string_view text, unsigned margin) {
  help += wrapped(text, margin, kHelpWidth) + '\n';
}

void append_flag(std::string& help, const ScanFlag& flag, std::string_view text) {
  std::string names = "  " + usage_of(flag);
  names.resize(std::max<std::size_t>(names.size() + 2, kHelpColumn), ' ');
  help += names;
  append_wrapped(help, text, kHelpColumn);
}

constexpr std::string_view kUsage = "Usage: fathom scan [OPTION...] [PATH...]\n";

// A line about the flag: its values, or the beginning of its help, up to what only details it.
std::string in_short(const ScanFlag& flag) {
  const std::string_view text = flag.help;
  if (flag.values.empty()) {
    return std::string(text.substr(0, text.find_first_of(":;,(")));
  }
  std::string values(flag.values);
  for (std::size_t i = values.find(' '); i < values.size(); i = values.find(' ', i + 2)) {
    values.insert(i, 1, ',');
  }
  return values;
}

}  // namespace

std::span<const FlagGroup> flag_groups() {
  return kGroups;
}

std::string_view title(FlagGroup group) {
  switch (group) {
    case FlagGroup::report:
      return "Reports, printed in the order given (none: a summary and a picture)";
    case FlagGroup::output:
      return "Output";
    case FlagGroup::select:
      return "Select";
    case FlagGroup::scan:
      return "Scan";
    case FlagGroup::display:
      return "Display";
  }
  return "";
}

std::string usage_of(const ScanFlag& flag) {
  std::string text = flag.letter == '\0' ? "    " : "";
  for (const std::string& spelling : spellings(flag)) {
    if (spelling.starts_with("--") && flag.letter != '\0') text += ", ";
    text += spelling;
  }
  if (!flag.argument.empty()) text += ' ' + std::string(flag.argument);
  return text;
}

std::span<const HelpSection> help_sections() {
  return kSections;
}

std::span<const ExitMeaning> exit_meanings() {
  return kExits;
}

std::string_view help_introduction() {
  return kIntroduction;
}

std::string flags_help() {
  std::string help;
  for (const FlagGroup group : kGroups) {
    if (!help.empty()) help += '\n';
    help += std::string(title(group)) + ":\n";
    for (const ScanFlag& flag : scan_flags()) {
      if (flag.group == group) append_flag(help, flag, flag.help);
    }
  }
  return help;
}

std::string scan_help() {
  std::string help = "Shows what fills a filesystem.\n\n";
  help += kUsage;
  help += '\n';
  append_wrapped(help, kIntroduction, 0);
  help += '\n' + flags_help();
  for (const HelpSection& section : kSections) {
    help += '\n' + std::string(section.title) + ":\n  ";
    append_wrapped(help, section.text, 2);
  }
  help += "\nExit codes:\n";
  for (const ExitMeaning& exit : kExits) {
    help += right(std::to_string(exit.code), 5) + "  ";
    append_wrapped(help, exit.meaning, 7);
  }
  return help;
}

std::string brief_scan_help() {
  std::string help = "Shows what fills a filesystem: each PATH with all below it.\n\n";
  help += kUsage;
  help += '\n';
  for (const std::string_view name : kCommon) {
    for (const ScanFlag& flag : scan_flags()) {
      if (flag.name == name) append_flag(help, flag, in_short(flag));
    }
  }
  help +=
      "\n"
      "  fathom scan                       this directory: a summary and a picture\n"
      "  fathom scan /var /home -x         without other filesystems\n"
      "  fathom scan ~ --largest-files 20\n"
      "\n";
  return help + "`fathom scan --help` tells all " + std::to_string(scan_flags().size()) +
         " options; so does `man fathom-scan`.\n";
}

}  // namespace fathom::cli
