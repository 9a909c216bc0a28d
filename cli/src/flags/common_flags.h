// CommonFlags: rows that the tables of several commands share.
//
//   constexpr std::array kFlags = {kOutputFlag<ScanRequest>, ...};
//
// Request must derive from CommonRequest.

#pragma once

#include "flags/common_request.h"
#include "flags/flag.h"
#include "flags/order.h"
#include "flags/select_flags.h"
#include "flags/values.h"

namespace fathom::cli {

inline constexpr std::size_t kMaxThreads = 1024;

inline constexpr std::array kWhens = {
    ChoiceOf<When>{{"auto", " (default: on a terminal)"}, When::automatic},
    ChoiceOf<When>{{"always"}, When::always},
    ChoiceOf<When>{{"never"}, When::never},
};

inline constexpr std::array kColorWhens = {
    ChoiceOf<When>{{"auto", " (default: on a terminal, unless NO_COLOR is set)"}, When::automatic},
    ChoiceOf<When>{{"always"}, When::always},
    ChoiceOf<When>{{"never"}, When::never},
};

inline constexpr std::array kTableFormats = {
    ChoiceOf<TableFormat>{{"text", " (default)"}, TableFormat::text},
    ChoiceOf<TableFormat>{{"json"}, TableFormat::json},
    ChoiceOf<TableFormat>{{"csv"}, TableFormat::csv},
};

template <class Request>
inline constexpr FlagOf<Request> kTableFormatFlag = {
    {.name = "format",
     .arg = Arg::choice,
     .metavar = "FORMAT",
     .help = "{}; json and csv contain all details",
     .brief = "text, json or csv",
     .group = FlagGroup::output,
     .common = true,
     .choices = kChoices<kTableFormats>},
    choose<kTableFormats, &Request::format>};

template <class Request>
inline constexpr FlagOf<Request> kOutputFlag = {
    {.name = "output",
     .letter = 'o',
     .arg = Arg::stream,
     .metavar = "FILE",
     .help = "write the results to FILE, atomically; - is standard output",
     .brief = "write the results to FILE",
     .group = FlagGroup::output,
     .common = true,
     .takes = "a file name, or - for standard output"},
    set_file<&Request::output>};

template <class Request>
inline constexpr FlagOf<Request> kCsvSafeFlag = {
    {.name = "csv-safe",
     .help = "with --format csv, prefix names and other text beginning with = + - @, a tab or a "
             "carriage return, which a spreadsheet would take for a formula, with '",
     .group = FlagGroup::output},
    set_to<&Request::csv_texts, fs::CsvTexts::safe>};

template <class Request>
inline constexpr FlagOf<Request> kSiFlag = {
    {.name = "si",
     .help = "show sizes in powers of 1000 (kB, MB) instead of 1024 (KiB, MiB)",
     .group = FlagGroup::output},
    set_to<&Request::units, base::Units::si>};

template <class Request>
inline constexpr FlagOf<Request> kTopFlag = {{.name = "top",
                                              .arg = Arg::number,
                                              .metavar = "N",
                                              .help = "show at most N lines of each list",
                                              .group = FlagGroup::output},
                                             set_number<&Request::top>};

template <class Request>
inline constexpr FlagOf<Request> kSortFlag = {{.name = "sort",
                                               .arg = Arg::choice,
                                               .metavar = "ORDER",
                                               .help = "sort by {}",
                                               .group = FlagGroup::output,
                                               .common = true,
                                               .choices = kChoices<kOrders>},
                                              choose<kOrders, &Request::order>};

template <class Request>
inline constexpr FlagOf<Request> kApparentSizeFlag = {
    {.name = "apparent-size",
     .help = "sort and draw by apparent size instead of disk usage",
     .group = FlagGroup::output},
    set_to<&Request::measure, fs::Measure::apparent>};

template <class Request>
inline constexpr FlagOf<Request> kFromFlag = {
    {.name = "from",
     .arg = Arg::stream,
     .metavar = "FILE",
     .help =
         "instead of scanning, read a saved scan from FILE: an export of --format ncdu, ncdu or "
         "gdu, - for standard input; or a snapshot: @latest, @~1, @2026-11-20, @7d, @TAG, @ID, "
         "or its directory",
     .group = FlagGroup::select,
     .takes = "a file name, - for standard input, or a snapshot such as @latest"},
    set_file<&Request::from>};

template <class Request>
inline constexpr FlagOf<Request> kStoreFlag = {
    {.name = "store",
     .arg = Arg::directory,
     .metavar = "DIR",
     .help = "the directory in which snapshots are kept (default: fathom/snapshots in "
             "$XDG_DATA_HOME or ~/.local/share; for root, /var/lib/fathom/snapshots)",
     .brief = "the directory in which snapshots are kept",
     .group = FlagGroup::output,
     .common = true},
    set_file<&Request::store>};

// Of the commands that only read snapshots with --from.
template <class Request>
inline constexpr FlagOf<Request> kFromStoreFlag = [] {
  FlagOf<Request> flag = with_help(
      kStoreFlag<Request>,
      "with --from @NAME, the directory of snapshots (default: as `fathom snapshot --help` says)");
  flag.flag.group = FlagGroup::select;
  return flag;
}();

template <class Request>
inline constexpr FlagOf<Request> kExcludeFlag = {
    {.name = "exclude",
     .arg = Arg::text,
     .metavar = "GLOB",
     .help = "exclude what matches GLOB, as in .gitignore: *.o, build/ (directories only), /tmp "
             "(directly in the PATH), !keep.o (include again); repeatable, and the last match "
             "decides",
     .brief = "exclude what matches GLOB",
     .group = FlagGroup::select,
     .common = true,
     .takes = "a rule such as '*.o', build/ or /tmp"},
    select_with<add_exclusion>};

template <class Request>
inline constexpr FlagOf<Request> kExcludeFromFlag = {
    {.name = "exclude-from",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "exclude by the rules in FILE, one per line",
     .group = FlagGroup::select},
    select_with<add_exclusions_of_file>};

template <class Request>
inline constexpr FlagOf<Request> kOnlyFlag = {
    {.name = "only",
     .arg = Arg::text,
     .metavar = "GLOB",
     .help =
         "count only what matches GLOB, as in --exclude: files, and directories with everything "
         "in them; repeatable",
     .brief = "count only what matches GLOB",
     .group = FlagGroup::select,
     .common = true,
     .takes = "a rule such as '*.log', build/ or /tmp"},
    select_with<add_only>};

template <class Request>
inline constexpr FlagOf<Request> kExcludeCachesFlag = {
    {.name = "exclude-caches",
     .help = "exclude directories that contain a valid CACHEDIR.TAG",
     .group = FlagGroup::select,
     .needs_scan = true},
    turn_off<&Request::select, &SelectRequest::selection, &fs::Selection::caches>};

template <class Request>
inline constexpr FlagOf<Request> kExcludeKernfsFlag = {
    {.name = "exclude-kernfs",
     .help = "exclude /proc, /sys and other kernel filesystems, wherever they are mounted",
     .group = FlagGroup::select,
     .needs_scan = true},
    turn_off<&Request::select, &SelectRequest::selection, &fs::Selection::kernel_filesystems>};

template <class Request>
inline constexpr FlagOf<Request> kNoHiddenFlag = {
    {.name = "no-hidden",
     .help = "exclude names that begin with a dot",
     .group = FlagGroup::select},
    turn_off<&Request::select, &SelectRequest::selection, &fs::Selection::hidden>};

template <class Request>
inline constexpr FlagOf<Request> kMinSizeFlag = {
    {.name = "min-size",
     .arg = Arg::size,
     .metavar = "SIZE",
     .help = "count only entries that themselves take SIZE or more: 4k (4096), 1.5GiB, 2GB (2 "
             "times 1000^3); on disk, or in apparent size with --apparent-size",
     .group = FlagGroup::select},
    set_size<&Request::select, &SelectRequest::selection, &fs::Selection::min_size>};

template <class Request>
inline constexpr FlagOf<Request> kNewerFlag = {
    {.name = "newer",
     .arg = Arg::time,
     .metavar = "WHEN",
     .help =
         "count only entries modified at or after WHEN: 12h or 7d (ago); today or yesterday (its "
         "start); 2026-01-31, 2026-01-31T08:00 or 2026-01-31T08:00:00 (local time; in an "
         "hour that the clock repeats, the first time); @1767225600 (seconds since 1970)",
     .group = FlagGroup::select},
    set_moment<&SelectRequest::newer>};

template <class Request>
inline constexpr FlagOf<Request> kOlderFlag = {{.name = "older",
                                                .arg = Arg::time,
                                                .metavar = "WHEN",
                                                .help = "count only entries modified before WHEN",
                                                .group = FlagGroup::select},
                                               set_moment<&SelectRequest::older>};

template <class Request>
inline constexpr FlagOf<Request> kTypeFlag = {
    {.name = "type",
     .arg = Arg::text,
     .metavar = "TYPES",
     .help = "count only these types, separated by commas: f,d,l,o or file,dir,link,other",
     .group = FlagGroup::select,
     .choices = kChoices<kTypes>,
     .takes = "a comma-separated list of f, d, l and o (file, dir, link, other)"},
    select_with<set_types>};

template <class Request>
inline constexpr FlagOf<Request> kExtFlag = {
    {.name = "ext",
     .arg = Arg::text,
     .metavar = "EXTS",
     .help = "count only entries with one of these extensions (the part after the last dot): "
             "log,gz; repeatable",
     .group = FlagGroup::select,
     .takes = "a comma-separated list of extensions such as log,gz, each the part of a name after "
              "the last dot"},
    select_with<add_extensions>};

template <class Request, auto kSet = set_where>
inline constexpr FlagOf<Request> kWhereFlag = {
    {.name = "where",
     .arg = Arg::text,
     .metavar = "EXPR",
     .help = "select only entries for which EXPR is true, as in SQL: \"age > 90d and owner = ana "
             "and not path ~ '/srv/keep/**'\"; see Conditions",
     .group = FlagGroup::select,
     .takes = "a condition such as \"size > 1G and age > 90d\""},
    select_with<kSet>};

template <class Request>
inline constexpr FlagOf<Request> kOneFileSystemFlag = {
    {.name = "one-file-system",
     .letter = 'x',
     .help = "stay on the filesystem of each PATH",
     .group = FlagGroup::scan,
     .common = true,
     .needs_scan = true},
    turn_on<&Request::one_file_system>};

template <class Request>
inline constexpr FlagOf<Request> kThreadsFlag = {
    {.name = "threads",
     .letter = 'j',
     .arg = Arg::number,
     .metavar = "N",
     .help = "use N threads, 1 to 1024 (default: by the number of processors)",
     .group = FlagGroup::scan,
     .needs_scan = true,
     .range = {1, kMaxThreads}},
    set_number<&Request::threads>};

constexpr ChoiceOf<fs::Engine> engine_choice(fs::Engine engine, std::string_view note = {}) {
  return {{fs::to_string(engine), note}, engine};
}

inline constexpr std::array kEngines = {
    engine_choice(fs::Engine::serial),
    engine_choice(fs::Engine::pool),
    engine_choice(fs::Engine::steal),
    engine_choice(fs::Engine::lockfree, " (default)"),
    engine_choice(fs::Engine::automatic,
                  " (root only: reads whole btrfs, ext4 and XFS filesystems in bulk)"),
    engine_choice(fs::Engine::btrfs),
    engine_choice(fs::Engine::ext4, " (also an image that is not mounted)"),
    engine_choice(fs::Engine::xfs),
};

template <class Request>
inline constexpr FlagOf<Request> kEngineFlag = {
    {.name = "engine",
     .arg = Arg::choice,
     .metavar = "ENGINE",
     .help = "how filesystems are read, and how threads share the work: {}; the results are the "
             "same",
     .group = FlagGroup::scan,
     .needs_scan = true,
     .choices = kChoices<kEngines>},
    choose<kEngines, &Request::engine>};

template <class Request>
inline constexpr FlagOf<Request> kSnapshotFlag = {
    {.name = "snapshot",
     .help = "read each subvolume of btrfs from a read-only snapshot of it, which is removed at "
             "once, so that the result shows it at a single point in time (root only)",
     .group = FlagGroup::scan,
     .needs_scan = true},
    turn_on<&Request::frozen>};

template <class Request>
inline constexpr FlagOf<Request> kNiceFlag = {{.name = "nice",
                                               .help = "run at low CPU and I/O priority",
                                               .group = FlagGroup::scan,
                                               .needs_scan = true},
                                              turn_on<&Request::nice>};

template <class Request>
inline constexpr FlagOf<Request> kMaxOpsFlag = {
    {.name = "max-ops",
     .arg = Arg::number,
     .metavar = "N",
     .help = "limit to N filesystem operations per second, all threads together",
     .group = FlagGroup::scan,
     .needs_scan = true},
    set_number<&Request::max_operations>};

template <class Request>
inline constexpr FlagOf<Request> kTraceFlag = {
    {.name = "trace",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "write a timeline of all threads to FILE, for ui.perfetto.dev or chrome://tracing; "
             "at most 64 MiB",
     .group = FlagGroup::scan,
     .needs_scan = true},
    set_file<&Request::trace>};

template <class Request>
inline constexpr FlagOf<Request> kMemoryFlag = {
    {.name = "memory",
     .help = "at the end, report on standard error how much memory was allocated, for what, and "
             "by which calls",
     .group = FlagGroup::scan,
     .needs_scan = true},
    turn_on<&Request::memory>};

template <class Request>
inline constexpr FlagOf<Request> kThreadStatsFlag = {
    {.name = "thread-stats",
     .help = "at the end, report on standard error how much CPU time each thread used, and how "
             "often it waited",
     .group = FlagGroup::scan,
     .needs_scan = true},
    turn_on<&Request::thread_stats>};

template <class Request>
inline constexpr FlagOf<Request> kPlainFlag = {
    {.name = "plain",
     .help = "use words instead of columns and symbols, one fact per line, for screen readers",
     .group = FlagGroup::display},
    turn_on<&Request::plain>};

template <class Request>
inline constexpr FlagOf<Request> kProgressFlag = {{.name = "progress",
                                                   .arg = Arg::choice,
                                                   .metavar = "WHEN",
                                                   .help = "show progress: {}",
                                                   .group = FlagGroup::display,
                                                   .choices = kChoices<kWhens>},
                                                  choose<kWhens, &Request::progress>};

template <class Request>
inline constexpr FlagOf<Request> kColorFlag = {{.name = "color",
                                                .arg = Arg::choice,
                                                .metavar = "WHEN",
                                                .help = "use colours: {}",
                                                .group = FlagGroup::display,
                                                .choices = kChoices<kColorWhens>},
                                               choose<kColorWhens, &Request::color>};

// Does nothing: main() has handled it already, so that errors in other arguments show a backtrace
// too.
template <class Request>
inline constexpr FlagOf<Request> kBacktraceFlag = {
    {.name = "backtrace",
     .help = "with an error message, show where in the program the error occurred, and the calls "
             "that led there; FATHOM_BACKTRACE=1 does so for every command",
     .group = FlagGroup::display},
    [](Request&, const Flag&, std::string_view) {}};

template <class Request>
inline constexpr FlagOf<Request> kBriefHelpFlag = {
    {.letter = 'h', .help = "show the most common options", .group = FlagGroup::display},
    set_to<&Request::help, Help::brief>};

template <class Request>
inline constexpr FlagOf<Request> kHelpFlag = {
    {.name = "help", .help = "show this help", .group = FlagGroup::display},
    set_to<&Request::help, Help::full>};

}  // namespace fathom::cli
