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
     "keep: the file that would be kept, the first by path unless --keep says otherwise. copy: one "
     "that wastes its size. same: one of a group that --keep leaves alone. link: another name of "
     "the file above. clone: a file of its own that "
     "shares its blocks with the file above, so that removing it frees nothing. part: one of equal "
     "directories in several of which files would be kept. A group wastes what its files take on "
     "the disk beyond the largest of them."},
    kNamesSection,
    {"Environment",
     "COLUMNS is no matter where the output is no terminal: lines are whole there. NO_COLOR, not "
     "empty, turns colours off. LC_ALL, LC_CTYPE and LANG decide whether more than ASCII is shown; "
     "if it is not, names are escaped: \\u00f6."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results has closed its pipe, having seen enough"},
    {kIncomplete,
     "something could not be read, or changed while it was read, and is in no group; or an act of "
     "a "
     "plan was refused or failed; or the results could not be written"},
    {kWrongUsage,
     "wrong usage, or a FILE that cannot be opened, or is no plan or journal; nothing done"},
    {kInterrupted,
     "interrupted, by Ctrl-C, SIGTERM or SIGHUP; the groups that were confirmed until then are "
     "printed. Interrupting again ends at once"},
};

}  // namespace

const Manual& dups_manual() {
  static const Manual manual = {
      .command = "dups",
      .purpose = "Finds duplicate files.",
      .name_line = "find duplicate files",
      .in_short = "Finds duplicate files: in each PATH with all below it, byte for byte.",
      .introduction =
          "Compares the files in each PATH (default: the current directory) with all below it. "
          "Files are duplicates only if every byte of theirs was read and compared equal. Names of "
          "one file (hard links) are no duplicates, symbolic links are not followed, and nothing "
          "is changed. Directories that hold the same are one line. After --, everything is a "
          "PATH.",
      .headings = kHeadings,
      .flags = dups_flags(),
      .common = kCommon,
      .examples =
          "  fathom dups                       in this directory\n"
          "  fathom dups ~ --min-size 1M       what is worth it\n"
          "  fathom dups --ext jpg,png /photos /backup\n"
          "  fathom dups --format fclones | fclones link --dry-run\n"
          "  fathom dups --plan FILE --keep oldest      what would be done; then\n"
          "  fathom dups --apply FILE                   whether it still can be; then\n"
          "  fathom dups --apply FILE --execute\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

}  // namespace fathom::cli
