// Help: the texts of the help and manual page of `fathom dups`.

#include "dups/help.h"

#include "dups/flags.h"
#include "exit_code.h"
#include "flag/help.h"

namespace fathom::cli {

namespace {

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"}, {FlagGroup::act, "Act"},         {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},     {FlagGroup::display, "Display"},
};

constexpr std::string_view kCommon[] = {
    "format", "output", "summary", "top", "all", "min-size", "ext", "exclude", "one-file-system"};

constexpr HelpSection kSections[] = {
    {"Marks",
     "keep: the file that would be kept, the first by path unless --keep says otherwise. copy: a "
     "file that wastes its size. same: a file of a group that --keep leaves alone. link: another "
     "name of the file above. clone: a separate file that shares its blocks with the file above, "
     "so that removing it frees nothing. part: one of several equal directories in which files "
     "would be kept. A group wastes the disk space of all its files except the largest."},
    kNamesSection,
    {"Environment",
     "COLUMNS is ignored when output is not a terminal; lines are not truncated. NO_COLOR, if not "
     "empty, turns colours off. LC_ALL, LC_CTYPE and LANG decide whether non-ASCII characters are "
     "shown; if not, they are escaped: \\u00f6."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results closed the pipe early"},
    {kIncomplete,
     "something could not be read, or changed while it was read, and is in no group; or an act of "
     "a plan was refused or failed; or the results could not be written"},
    {kWrongUsage,
     "wrong usage, or a FILE cannot be opened, or is not a plan or journal; nothing was done"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; the groups confirmed so far are printed. A second "
     "interrupt ends the program immediately"},
};

}  // namespace

const Manual& dups_manual() {
  static const Manual manual = {
      .command = "dups",
      .purpose = "Finds duplicate files.",
      .name_line = "find duplicate files",
      .in_short = "Finds duplicate files in each PATH and everything below it, byte for byte.",
      .introduction =
          "Compares the files in each PATH (default: the current directory) and everything below "
          "it. Files are duplicates only if every byte was read and compared equal. Several names "
          "of one file (hard links) are not duplicates, and symbolic links are not followed. "
          "No file is changed without --execute. Equal directories are shown as one line each. "
          "After --, everything is a PATH.",
      .headings = kHeadings,
      .flags = dups_flags(),
      .common = kCommon,
      .examples =
          "  fathom dups                       in this directory\n"
          "  fathom dups ~ --min-size 1M       only files of 1 MiB or more\n"
          "  fathom dups --ext jpg,png /photos /backup\n"
          "  fathom dups --format fclones | fclones link --dry-run\n"
          "  fathom dups --plan FILE --keep oldest      write a plan; then\n"
          "  fathom dups --apply FILE                   dry run; then\n"
          "  fathom dups --apply FILE --execute\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

}  // namespace fathom::cli
