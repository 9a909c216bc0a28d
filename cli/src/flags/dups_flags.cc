// The flags and the manual of `fathom dups`.

#include "flags/dups_flags.h"

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/dups_plan_flags.h"
#include "flags/help.h"
#include "flags/select_flags.h"
#include "term/exit_code.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// ---- The flags

constexpr std::array kFormats = {
    ChoiceOf<DupsFormat>{{"text", " (default)"}, DupsFormat::text},
    ChoiceOf<DupsFormat>{{"json"}, DupsFormat::json},
    ChoiceOf<DupsFormat>{{"csv", " (one line per file)"}, DupsFormat::csv},
    ChoiceOf<DupsFormat>{
        {"fclones", " (the JSON report that fclones link, remove and dedupe read)"},
        DupsFormat::fclones},
};

constexpr FlagOf<DupsRequest> kFormatFlag = {{.name = "format",
                                              .arg = Arg::choice,
                                              .metavar = "FORMAT",
                                              .help = "{}; with --apply and --undo, text or json",
                                              .group = FlagGroup::output,
                                              .common = true,
                                              .choices = kChoices<kFormats>},
                                             choose<kFormats, &DupsRequest::format>};

constexpr FlagOf<DupsRequest> kSummaryFlag = {{.name = "summary",
                                               .help = "show only the totals (text format only)",
                                               .brief = "show only the totals",
                                               .group = FlagGroup::output,
                                               .common = true},
                                              turn_on<&DupsRequest::summary>};

constexpr FlagOf<DupsRequest> kAllFlag = {
    {.name = "all",
     .help = "show all groups with all their files, even on a terminal",
     .brief = "show all groups with all their files",
     .group = FlagGroup::output,
     .common = true},
    [](DupsRequest& request, const Flag&, std::string_view) {
      request.all = true;
      request.top = 0;
    }};

constexpr FlagOf<DupsRequest> kMinFileSizeFlag = {
    {.name = "min-size",
     .arg = Arg::size,
     .metavar = "SIZE",
     .help = "compare only files of SIZE or more: 4k (4096), 1.5GiB, 2GB (2 times 1000^3)",
     .brief = "compare only files of SIZE or more",
     .group = FlagGroup::select,
     .common = true},
    set_size<&DupsRequest::min_size>};

constexpr FlagOf<DupsRequest> kEmptyFlag = {{.name = "empty",
                                             .help = "compare empty files too (all are equal)",
                                             .group = FlagGroup::select},
                                            turn_on<&DupsRequest::empty>};

constexpr FlagOf<DupsRequest> kDropCacheFlag = {
    {.name = "drop-cache",
     .help =
         "drop read files from the page cache afterwards, so that the files of other programs stay "
         "in it",
     .group = FlagGroup::scan},
    turn_on<&DupsRequest::drop_cache>};

constexpr FlagOf<DupsRequest> kCacheFlag = {
    {.name = "cache",
     .help = "remember in the store what was compared, and read only what has changed since",
     .group = FlagGroup::scan,
     .needs_scan = true},
    turn_on<&DupsRequest::cache>};

using Request = DupsRequest;

// The flag applies to comparing, too, which --from does not replace.
constexpr FlagOf<Request> also_compares(FlagOf<Request> flag) {
  flag.flag.needs_scan = false;
  return flag;
}

constexpr FlagOf<Request> kFromSnapshotFlag = [] {
  FlagOf<Request> flag = with_help(
      kFromFlag<Request>,
      "instead of scanning, compare the files of a snapshot of this host: @latest, @~1, "
      "@2026-11-20, @7d, @TAG, @ID, or its directory; files that have changed since are in no "
      "group");
  flag.flag.arg = Arg::directory;
  flag.flag.metavar = "SNAPSHOT";
  flag.flag.takes = "a snapshot such as @latest";
  return flag;
}();

constexpr FlagOf<Request> kStoreOfDupsFlag =
    with_help(kFromStoreFlag<Request>,
              "with --from @NAME or --cache, the directory of snapshots (default: as `fathom "
              "snapshot --help` says)");

constexpr std::array kFlags = {
    kFormatFlag,
    kOutputFlag<Request>,
    kCsvSafeFlag<Request>,
    kSummaryFlag,
    with_help(kTopFlag<Request>,
              "show the N groups that waste most, in every format (default: all; on a terminal as "
              "many as fit on the screen); a plan contains all groups",
              "show the N groups that waste most"),
    kAllFlag,
    kSiFlag<Request>,

    kPlanFlag,
    kForceFlag,
    kActionFlag,
    kKeepFlag,
    kApplyFlag,
    kExecuteFlag,
    kJournalFlag,
    kQuarantineFlag,
    kTrustTimesFlag,
    kUndoFlag,

    kMinFileSizeFlag,
    kEmptyFlag,
    with_help(kExtFlag<Request>,
              "compare only files with one of these extensions (the part after the last dot): "
              "jpg,png; repeatable",
              "compare only files with one of these extensions"),
    kExcludeFlag<Request>,
    kExcludeFromFlag<Request>,
    kExcludeCachesFlag<Request>,
    kExcludeKernfsFlag<Request>,
    kNoHiddenFlag<Request>,
    with_help(kOnlyFlag<Request>,
              "compare only what matches GLOB, as in --exclude: files, and directories with "
              "everything in them; repeatable"),
    with_help(kNewerFlag<Request>,
              "compare only files modified at or after WHEN: 12h or 7d (ago); today or yesterday "
              "(its start); 2026-01-31, 2026-01-31T08:00 or 2026-01-31T08:00:00 (local time; "
              "in an hour that the clock repeats, the first time); @1767225600 (seconds since "
              "1970)"),
    with_help(kOlderFlag<Request>, "compare only files modified before WHEN"),
    kFromSnapshotFlag,
    kStoreOfDupsFlag,

    kOneFileSystemFlag<Request>,
    also_compares(kThreadsFlag<Request>),
    also_compares(kNiceFlag<Request>),
    kDropCacheFlag,
    kCacheFlag,
    also_compares(kTraceFlag<Request>),
    also_compares(kMemoryFlag<Request>),
    also_compares(kThreadStatsFlag<Request>),

    kPlainFlag<Request>,
    kProgressFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

void check_store(const DupsRequest& request) {
  if (!request.store || request.cache || (request.from && request.from->starts_with('@'))) return;
  throw UsageError(
      "option '--store' needs '--cache', or '--from' with the name of a snapshot, such as @latest");
}

// Checks combinations of flags, in any order.
void check_together(const DupsRequest& request) {
  check_selection(request.select);
  check_csv(request, request.format == DupsFormat::csv);
  if (request.empty && request.min_size.value_or(0) > 0) {
    throw UsageError("options '--empty' and '--min-size' exclude each other");
  }
  if (request.summary && request.format != DupsFormat::text) {
    throw UsageError(
        "option '--summary' works only with --format text; the other formats contain the totals");
  }
}

// What an act would ignore is refused: it would be taken for a choice of files to act on.
void check_act(const Manual& manual, const Arguments& given) {
  for (const Arguments::Given& one : given.flags) {
    const Flag& flag = manual.flags[one.flag];
    const bool searches = flag.group == FlagGroup::select || flag.group == FlagGroup::scan;
    if (!searches && flag.name != "top" && flag.name != "summary") continue;
    throw UsageError("option '--" + std::string(flag.name) +
                     "' applies to a search; '--apply' and '--undo' do not search");
  }
}

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"}, {FlagGroup::act, "Act"},         {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},     {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Marks",
     "keep: the file that would be kept, the first by path unless --keep says otherwise. copy: a "
     "file that wastes its size. same: a file of a group that --keep leaves alone. link: another "
     "name of the file above. clone: a separate file that shares its blocks with the file above, "
     "so that removing it frees nothing. part: of a group of equal directories, one that has "
     "only some of the files that would be kept. A group wastes the disk space of all its files "
     "except the largest."},
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
     "a plan was refused or failed; or a file could not be checked for a plan; or the results "
     "could "
     "not be written"},
    {kWrongUsage,
     "wrong usage, or no PATH exists, or a FILE cannot be opened, or is not a plan or journal; "
     "nothing was done"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; the groups confirmed so far are printed. A second "
     "interrupt ends the program immediately"},
};

}  // namespace

const Manual& dups_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "dups",
      .purpose = "Finds duplicate files.",
      .name_line = "find duplicate files",
      .in_short = "Finds duplicate files in each PATH and everything below it, byte for byte.",
      .introduction =
          "Compares the files in each PATH (default: the current directory) and everything below "
          "it. Files are duplicates only if every byte was read and compared equal. Several names "
          "of one file (hard links) are not duplicates, and symbolic links are not followed. "
          "What is in a quarantine or a snapshot of Fathom, or in a trash, is left out: it is gone "
          "when that is emptied. "
          "No file is changed without --execute. Equal directories are shown as one line each. "
          "After --, everything is a PATH.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom dups                       in this directory\n"
          "  fathom dups ~ --min-size 1M       only files of 1 MiB or more\n"
          "  fathom dups --ext jpg,png /photos /backup\n"
          "  fathom dups --format fclones | fclones link --dry-run\n"
          "  fathom dups . --plan FILE --keep oldest    write a plan; then\n"
          "  fathom dups --apply FILE                   dry run; then\n"
          "  fathom dups --apply FILE --execute\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

DupsRequest parse_dups(const std::vector<std::string>& arguments) {
  const Manual& manual = dups_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  DupsRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_from(request, manual.flags, found);
  check_store(request);
  check_together(request);
  check_plan(request, !found.paths.empty());
  if (request.plan.acts()) check_act(manual, found);
  return request;
}

}  // namespace fathom::cli
