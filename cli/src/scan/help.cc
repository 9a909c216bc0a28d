// Help: the texts of the help and manual page of `fathom scan`.

#include "scan/help.h"

#include "exit_code.h"
#include "flag/help.h"
#include "scan/flags.h"

namespace fathom::cli {

namespace {

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::report, "Reports, printed in the order given (none: a summary and a tree view)"},
    {FlagGroup::output, "Output"},
    {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},
    {FlagGroup::display, "Display"},
};

constexpr std::string_view kCommon[] = {"largest-files",   "largest-dirs", "recent", "extensions",
                                        "errors",          "format",       "output", "sort",
                                        "one-file-system", "exclude",      "depth",  "top"};

constexpr HelpSection kSections[] = {
    kNamesSection,
    {"Environment",
     "COLUMNS is the width of the tree view when the output is not a terminal (default: 80; a "
     "terminal is as wide as it reports; the minimum is 40). NO_COLOR, if not empty, turns colours "
     "off. LC_ALL, LC_CTYPE and LANG decide whether non-ASCII characters are shown; if not, they "
     "are escaped: \\u00f6."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results closed the pipe early"},
    {kIncomplete,
     "something could not be read, so the sizes are lower bounds; or the results could not be "
     "written"},
    {kWrongUsage,
     "wrong usage, or a FILE of -o, --from or --exclude-from cannot be opened; nothing was done"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; the results so far are printed. A second interrupt "
     "ends the program immediately"},
};

}  // namespace

const Manual& scan_manual() {
  static const Manual manual = {
      .command = "scan",
      .purpose = "Shows what fills a filesystem.",
      .name_line = "show what fills a filesystem",
      .in_short = "Shows what fills a filesystem: each PATH and everything below it.",
      .introduction =
          "Scans each PATH (default: the current directory) and everything below it. Symbolic "
          "links "
          "are not followed, and a file with several names is counted once. After --, everything "
          "is a PATH.",
      .headings = kHeadings,
      .flags = scan_flags(),
      .common = kCommon,
      .examples =
          "  fathom scan                       this directory: a summary and a tree view\n"
          "  fathom scan /var /home -x         without other filesystems\n"
          "  fathom scan ~ --largest-files 20\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

}  // namespace fathom::cli
