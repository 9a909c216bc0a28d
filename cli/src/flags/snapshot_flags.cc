// The flags and the manual of `fathom snapshot`.

#include "flags/snapshot_flags.h"

#include <array>
#include <span>

#include "fathom/store/snapshot_name.h"
#include "flags/arguments.h"
#include "flags/bulk_engine.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "flags/select_flags.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = SnapshotRequest;

// ---- The flags

constexpr FlagOf<Request> kTagFlag = {
    {.name = "tag",
     .arg = Arg::text,
     .metavar = "TAG",
     .help =
         "give the snapshot a name: @TAG is the latest one with this TAG; --keep never removes it",
     .brief = "give the snapshot a name",
     .group = FlagGroup::output,
     .common = true,
     .takes = "up to 64 letters, digits and . _ + - that are not a date, an age or 'latest'"},
    [](Request& request, const Flag& flag, std::string_view argument) {
      if (!store::is_tag(argument)) refuse(flag, argument);
      request.tag = argument;
    }};

constexpr FlagOf<Request> kKeepFlag = {
    {.name = "keep",
     .arg = Arg::text,
     .metavar = "RULES",
     .help =
         "afterwards remove the older snapshots of the same paths and selection, except the last "
         "one of each of so many hours, days, weeks and months that have one: 24h,7d,4w,12m",
     .brief = "remove older snapshots, except 24h,7d,4w,12m",
     .group = FlagGroup::output,
     .common = true,
     .takes = "a list of numbers with the units h, d, w and m (months), such as 24h,7d,4w,12m"},
    [](Request& request, const Flag& flag, std::string_view argument) {
      request.keep = store::parse_keep(argument);
      if (!request.keep) refuse(flag, argument);
    }};

constexpr FlagOf<Request> kDryRunFlag = {
    {.name = "dry-run",
     .help = "keep and remove nothing; say what would be kept and removed",
     .brief = "only say what would be kept and removed",
     .group = FlagGroup::output,
     .common = true},
    turn_on<&Request::dry_run>};

constexpr FlagOf<Request> kTextfileFlag = {
    {.name = "textfile",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "also write the totals of each PATH and its filesystem to FILE, atomically, for the "
             "textfile collector of node_exporter, which reads files named *.prom",
     .group = FlagGroup::output},
    set_file<&Request::textfile>};

constexpr FlagOf<Request> kPartsFlag = {
    {.name = "parts",
     .arg = Arg::directory,
     .metavar = "FOLDER",
     .help =
         "instead of scanning, join the parts of a scan in FOLDER, which `fathom fleet scan` or "
         "`fathom scan --shard` made",
     .group = FlagGroup::output},
    set_file<&Request::parts>};

constexpr FlagOf<Request> kPartialFlag = {
    {.name = "partial",
     .help = "with --parts, keep the snapshot even if parts are missing: their entries count as "
             "unreadable",
     .group = FlagGroup::output},
    turn_on<&Request::partial>};

constexpr FlagOf<Request> kDieWithParentFlag = {
    {.name = "die-with-parent",
     .help = "be killed when the thread that started this process ends",
     .group = FlagGroup::output},
    turn_on<&Request::dies_with_parent>};

constexpr FlagOf<Request> kIncrementalFlag = {
    {.name = "incremental",
     .help = "look only at what has changed since the latest snapshot of the same paths and "
             "selection, where btrfs or XFS can tell (root only); the result is the same",
     .brief = "look only at what has changed (root only)",
     .group = FlagGroup::scan,
     .common = true,
     .needs_scan = true},
    turn_on<&Request::incremental>};

constexpr std::array kFlags = {
    kStoreFlag<Request>,
    kTagFlag,
    kKeepFlag,
    kDryRunFlag,
    kTextfileFlag,
    kPartsFlag,
    kPartialFlag,
    kDieWithParentFlag,
    kSiFlag<Request>,

    kExcludeFlag<Request>,
    kExcludeFromFlag<Request>,
    kExcludeCachesFlag<Request>,
    kExcludeKernfsFlag<Request>,
    kNoHiddenFlag<Request>,
    kOnlyFlag<Request>,
    with_help(kMinSizeFlag<Request>,
              "count only entries that themselves take SIZE or more on disk: 4k (4096), 1.5GiB, "
              "2GB (2 times 1000^3)"),
    kNewerFlag<Request>,
    kOlderFlag<Request>,
    kTypeFlag<Request>,
    kExtFlag<Request>,
    with_help(kFromFlag<Request>,
              "instead of scanning, keep a saved scan from FILE, an export of --format ncdu, ncdu "
              "or gdu; - is standard input"),

    kOneFileSystemFlag<Request>,
    kIncrementalFlag,
    kThreadsFlag<Request>,
    kEngineFlag<Request>,
    kSnapshotFlag<Request>,
    kNiceFlag<Request>,
    kMaxOpsFlag<Request>,
    kTraceFlag<Request>,
    kMemoryFlag<Request>,
    kThreadStatsFlag<Request>,

    kProgressFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

void check_together(const Request& request) {
  check_selection(request.select);
  if (!request.from) return;
  if (request.from->starts_with('@')) {
    throw UsageError("'" + escaped(*request.from) +
                     "' is a snapshot already; for a file of that name, use './" +
                     escaped(*request.from) + "'");
  }
  if (request.progress == When::always) {
    throw UsageError("options '--progress always' and '--from' exclude each other");
  }
  if (request.textfile) {
    throw UsageError("options '--textfile' and '--from' exclude each other");
  }
}

// The parts have said what was scanned, and how.
void check_parts(const Request& request, std::span<const Flag> flags, const Arguments& given) {
  if (!request.parts) {
    if (request.partial) throw UsageError("option '--partial' needs '--parts FOLDER'");
    return;
  }
  if (!given.paths.empty()) throw UsageError("option '--parts' and a PATH exclude each other");
  if (request.keep && request.dry_run) {
    throw UsageError(
        "option '--dry-run' does not read parts, so it cannot tell what '--keep' removes");
  }
  for (const Arguments::Given& each : given.flags) {
    const Flag& flag = flags[each.flag];
    const bool scans = flag.group == FlagGroup::select || flag.group == FlagGroup::scan;
    if (scans || flag.name == "textfile") {
      throw UsageError("options '" + spellings(flag).front() +
                       "' and '--parts' exclude each other");
    }
  }
}

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Keep"},
    {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Snapshots",
     "A snapshot holds every entry with its sizes, times and owner, but not the contents of files. "
     "It is kept completely or not at all, and never modified. `fathom log` lists snapshots, and "
     "@latest, @~1 (the one before), @2026-11-20, @7d (at least 7 days old), @TAG and @ID name "
     "them. A store is private to its owner."},
    {"Incremental",
     "--incremental reads filesystems in bulk, as --engine auto does. btrfs tells what has changed "
     "since the transaction of the earlier snapshot, which must have been made in this way, too; "
     "of "
     "XFS all inodes are read, but only directories that have changed are listed. ext4 and other "
     "filesystems are read completely. Snapshots do not depend on each other."},
    {"Removing",
     "--keep judges the snapshots of the same host, paths and selection (--exclude, --only, -x and "
     "the like), by hours, days, weeks and months in UTC. The latest one and those with a tag "
     "always stay, and an incomplete one does not take the place of a complete one."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "the snapshot is kept"},
    {kIncomplete,
     "the snapshot is kept, but something could not be read, so that its sizes are lower bounds; "
     "or a FILE could not be written, or an older snapshot could not be removed; or the store has "
     "the "
     "snapshot of this export already; or what was done, or would be done, could not be printed"},
    {kWrongUsage,
     "nothing is kept: wrong usage, or no PATH exists, or the store or a FILE cannot be opened, or "
     "the snapshot cannot be written, because the disk is full for example"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; nothing was kept, unless the command has said so. "
     "After that, a first signal only ends the removal of older snapshots"},
};

}  // namespace

const Manual& snapshot_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "snapshot",
      .purpose = "Keeps what fills a filesystem, to see later what grew.",
      .name_line = "keep the sizes of a filesystem, to see later what grew",
      .in_short = "Scans each PATH, and keeps the result as a snapshot.",
      .introduction =
          "Scans each PATH (default: the current directory) and everything below it, and keeps the "
          "result as a snapshot in a store. Prints one line that names it. After --, everything is "
          "a PATH.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom snapshot /srv\n"
          "  fathom snapshot -x / --keep 24h,7d,4w,12m     from a timer, every hour\n"
          "  fathom snapshot /srv --tag before-upgrade\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

SnapshotRequest parse_snapshot(const std::vector<std::string>& arguments) {
  const Manual& manual = snapshot_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  SnapshotRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  request.selection = selection_words(manual.flags, found);
  check_from(request, manual.flags, found);
  check_parts(request, manual.flags, found);
  check_together(request);
  if (request.incremental) need_bulk_engine(request, "--incremental", false);
  if (request.frozen) need_bulk_engine(request, "--snapshot", true);
  return request;
}

}  // namespace fathom::cli
