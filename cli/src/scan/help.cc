#include "scan/help.h"

#include "exit_code.h"
#include "flag/help.h"
#include "scan/flags.h"

namespace fathom::cli {

namespace {

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::report, "Reports, printed in the order given (none: a summary and a picture)"},
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
     "Interrupting again ends at once"},
};

}  // namespace

const Manual& scan_manual() {
  static const Manual manual = {
      .command = "scan",
      .purpose = "Shows what fills a filesystem.",
      .name_line = "show what fills a filesystem",
      .in_short = "Shows what fills a filesystem: each PATH with all below it.",
      .introduction =
          "Scans each PATH (default: the current directory) with all below it. Symbolic links are "
          "not followed, and what has several names is counted once. After --, everything is a "
          "PATH.",
      .headings = kHeadings,
      .flags = scan_flags(),
      .common = kCommon,
      .examples =
          "  fathom scan                       this directory: a summary and a picture\n"
          "  fathom scan /var /home -x         without other filesystems\n"
          "  fathom scan ~ --largest-files 20\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

}  // namespace fathom::cli
