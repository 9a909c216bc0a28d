// The flags and the manual of `fathom browse`.

#include "flags/browse_flags.h"

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/select_flags.h"
#include "term/exit_code.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// ---- The flags

constexpr FlagOf<BrowseRequest> kReadOnlyFlag = {
    {.name = "read-only",
     .help = "allow nothing that could change files: no shell, and no plan is applied; "
             "`read_only = true` in /etc/fathom.conf does so for every user",
     .brief = "allow nothing that could change files",
     .group = FlagGroup::act,
     .common = true},
    turn_on<&BrowseRequest::read_only>};

constexpr FlagOf<BrowseRequest> kMouseFlag = {
    {.name = "mouse",
     .help = "use the mouse: a click selects a row or a view, a second one opens the row, the "
             "wheel scrolls; the terminal then selects text only with Shift",
     .brief = "use the mouse",
     .group = FlagGroup::act},
    turn_on<&BrowseRequest::mouse>};

constexpr FlagOf<BrowseRequest> kPlainFlag = {
    {.name = "plain",
     .help = "ask for commands and answer in lines of text, for screen readers; needs no terminal, "
             "and reads commands from a pipe as well",
     .brief = "lines of text instead of a screen",
     .group = FlagGroup::act},
    turn_on<&BrowseRequest::plain>};

constexpr FlagOf<BrowseRequest> in_browse_group(FlagOf<BrowseRequest> flag) {
  flag.flag.group = FlagGroup::act;
  return flag;
}

using Request = BrowseRequest;

constexpr std::array kFlags = {
    kReadOnlyFlag,
    kMouseFlag,
    kPlainFlag,
    in_browse_group(with_help(kFromFlag<Request>,
                              "show a saved scan from FILE: an export of fathom scan --format "
                              "ncdu, ncdu or gdu, - for standard input; or a snapshot: @latest, "
                              "@~1, @2026-11-20, @7d, @TAG, @ID, or its directory",
                              "show a saved scan from FILE, or a snapshot")),
    in_browse_group(with_help(kStoreFlag<Request>,
                              "the directory of snapshots, for --from @NAME and the view Grew "
                              "(default: as `fathom snapshot --help` says)",
                              "the directory of snapshots")),
    in_browse_group(
        with_help(kApparentSizeFlag<Request>, "start with apparent size instead of disk usage")),
    in_browse_group(kSiFlag<Request>),

    kExcludeFlag<Request>,
    kExcludeFromFlag<Request>,
    kExcludeCachesFlag<Request>,
    kExcludeKernfsFlag<Request>,
    kNoHiddenFlag<Request>,
    kOnlyFlag<Request>,
    kMinSizeFlag<Request>,
    kNewerFlag<Request>,
    kOlderFlag<Request>,
    kTypeFlag<Request>,
    kExtFlag<Request>,

    kOneFileSystemFlag<Request>,
    kThreadsFlag<Request>,
    kNiceFlag<Request>,
    kMaxOpsFlag<Request>,

    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::act, "Browse"},
    {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Keys",
     "j k or arrows move, Enter opens, h goes up, / filters by name, // does so in the whole tree, "
     ": and :: select by a condition such as size > 1G and age > 90d (fathom find --where). "
     "Space marks, d puts what is marked into the plan, P shows the plan with what it would free, "
     "W writes it to a new file, or its paths, each with a NUL after it. 1 to 8 choose a view, "
     "s n C M sort, i tells more about an entry, y copies its path, b starts a shell, r scans the "
     "directory again. q quits, Q quits and prints the directory. ? lists all keys."},
    {"Views",
     "Tree, Largest, Types, Ages, Owners; Clean: what the rules of fathom clean choose in this "
     "scan, by class, with the reasons, and X marks what they call safe; Grew: what has changed "
     "since the newest snapshot that fathom snapshot has kept of PATH; Dups: files with the same "
     "content, as fathom dups finds them."},
    {"Safety",
     "d puts an entry into the plan, P opens the plan, A and then y moves everything in it to a "
     "quarantine (with D, to the trash), and U and y moves it back; again, what was moved before "
     "that. After A, D and the word delete, typed key by key, delete it for good. No other key "
     "changes what exists: W creates a new file, and b starts a shell. A file "
     "NAME.plan contains a plan for fathom apply, also that of a saved scan; any other file "
     "contains the paths. Keys that delete in other programs do something harmless here, and Enter "
     "never means yes. q asks first if the scan took more than 3 seconds, or if something is "
     "marked or in the plan; Esc never quits."},
    {"Without a screen (--plain)",
     "With --plain, nothing is drawn: after the scan, it asks for commands, such as ls, cd 3, up, "
     "info 3, find TEXT, view clean, mark 3 5-9, plan marks, trash 3, write FILE, apply, delete, "
     "undo and quit, and answers in lines; help lists them. apply and undo ask for the word yes, "
     "delete for the word delete."},
    kNamesSection,
    {"Environment",
     "TERM names the terminal. LC_ALL, LC_CTYPE and LANG decide whether characters beyond ASCII "
     "are used. NO_COLOR, if not empty, turns colours off. SHELL is the shell of b, in which "
     "FATHOM_LEVEL tells how many browsers are around it."},
    {"Files", "/etc/fathom.conf: `read_only = true` turns on --read-only for every user."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "the user quit"},
    {kIncomplete, "browse has no terminal, or the scan could not begin"},
    {kWrongUsage,
     "wrong usage, or a PATH, FILE or /etc/fathom.conf cannot be read; nothing was done"},
    {kInterrupted, "ended by SIGINT, SIGTERM or SIGHUP; the terminal is restored"},
};

}  // namespace

const Manual& browse_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "browse",
      .purpose = "Shows in the terminal what fills a filesystem.",
      .name_line = "browse in the terminal what fills a filesystem",
      .in_short = "Scans each PATH and shows in the terminal what fills it, while the scan runs.",
      .introduction =
          "Scans each PATH (default: the current directory) and everything below it, and shows in "
          "the terminal what fills it: the directories, the largest files, types, ages and owners. "
          "Results appear while the scan runs; sums are lower bounds then, which is marked. "
          "Entries can be marked and collected in a plan, with the exact number of bytes that "
          "deleting them would free. After --, everything is a PATH.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom browse                     this directory\n"
          "  fathom browse -x /                the root filesystem\n"
          "  cd \"$(fathom browse)\"             and go to where Q was pressed\n"
          "  fathom browse --from @latest      the last snapshot\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

BrowseRequest parse_browse(const std::vector<std::string>& arguments) {
  const Manual& manual = browse_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  BrowseRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_from(request, manual.flags, found);
  check_selection(request.select);
  if (request.plain && request.mouse) {
    throw UsageError("options '--plain' and '--mouse' exclude each other");
  }
  return request;
}

}  // namespace fathom::cli
