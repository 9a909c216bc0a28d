// The flags and the manual of `fathom scan`.

#include "flags/scan_flags.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "flags/arguments.h"
#include "flags/bulk_engine.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "flags/select_flags.h"
#include "flags/shard_flags.h"
#include "term/exit_code.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// ---- The flags

constexpr std::array kFormats = {
    ChoiceOf<Format>{{"text", " (default)"}, Format::text},
    ChoiceOf<Format>{{"json"}, Format::json},
    ChoiceOf<Format>{{"csv", " (one report only)"}, Format::csv},
    ChoiceOf<Format>{{"ncdu", " (the tree itself, for ncdu and --from)"}, Format::ncdu},
    ChoiceOf<Format>{{"parquet", " (the same, for DuckDB, pandas and others)"}, Format::parquet},
};

std::string name_of(Format format) {
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [format](const auto& row) { return row.value == format; });
  return std::string(found->choice.name);
}

// The key of a report as the name of its flag: "largest-files".
template <std::size_t kReport>
constexpr auto kReportName = [] {
  std::array<char, fs::kReports[kReport].head.key.size()> name{};
  std::ranges::replace_copy(fs::kReports[kReport].head.key, name.begin(), '_', '-');
  return name;
}();

template <std::size_t kReport>
void add_report(ScanRequest& request, const Flag& flag, std::string_view argument) {
  AskedReport report;
  report.kind = fs::kReports[kReport].kind;
  if (flag.arg == Arg::number) report.count = parse_number(flag, argument);
  if (flag.arg == Arg::time) report.since = parse_moment(flag, argument);
  request.reports.push_back(report);
}

template <std::size_t kReport>
constexpr FlagOf<ScanRequest> report_flag() {
  constexpr const fs::ReportInfo& report = fs::kReports[kReport];
  Flag flag{.name = {kReportName<kReport>.data(), kReportName<kReport>.size()},
            .help = report.description,
            .group = FlagGroup::report,
            .common = report.common,
            .needs_scan = report.needs_facts};
  if (report.argument == fs::ReportArgument::count) {
    flag.arg = Arg::number;
    flag.metavar = "N";
  } else if (report.argument == fs::ReportArgument::age) {
    flag.arg = Arg::time;
    flag.metavar = "WHEN";
  }
  return {flag, add_report<kReport>};
}

constexpr FlagOf<ScanRequest> kTreeFlag = {
    {.name = "tree",
     .help = "a tree view of the largest directories (text format only)",
     .group = FlagGroup::report},
    [](ScanRequest& request, const Flag&, std::string_view) {
      request.tree_views.push_back(request.reports.size());
    }};

constexpr FlagOf<ScanRequest> kFormatFlag = {
    {.name = "format",
     .arg = Arg::choice,
     .metavar = "FORMAT",
     .help = "{}; without a report, json and csv contain the summary",
     .group = FlagGroup::output,
     .common = true,
     .choices = kChoices<kFormats>},
    choose<kFormats, &ScanRequest::format>};

constexpr FlagOf<ScanRequest> kDepthFlag = {
    {.name = "depth",
     .arg = Arg::number,
     .metavar = "N",
     .help = "show N levels below each PATH in the tree view; 0 shows only the PATHs (default: as "
             "many levels as fit); a directory that contains only one entry shares its row and "
             "level: a/b/",
     .brief = "show N levels below each PATH in the tree view",
     .group = FlagGroup::output,
     .common = true,
     .range = {0, kCounts.largest}},
    set_number<&ScanRequest::depth>};

constexpr FlagOf<ScanRequest> kAllLevelsFlag = {
    {.name = "all-levels",
     .help = "with --largest-dirs as text, also list directories with two thirds or more of their "
             "size in one subdirectory; json and csv always list them",
     .group = FlagGroup::output},
    turn_on<&ScanRequest::all_levels>};

constexpr FlagOf<ScanRequest> kVerboseFlag = {
    {.name = "verbose",
     .help = "with --explain as text, show every row, and sizes in exact bytes",
     .group = FlagGroup::output},
    turn_on<&ScanRequest::verbose>};

template <std::size_t... kReport, std::size_t... kShard>
constexpr auto all_flags(std::index_sequence<kReport...> /*reports*/,
                         std::index_sequence<kShard...> /*shards*/) {
  using Request = ScanRequest;
  return std::array{
      report_flag<kReport>()...,
      kTreeFlag,

      kFormatFlag,
      kOutputFlag<Request>,
      kCsvSafeFlag<Request>,
      kApparentSizeFlag<Request>,
      with_help(kSortFlag<Request>, "sort lists (in every format) and the tree view by {}",
                "size, count, name or mtime"),
      with_help(
          kTopFlag<Request>,
          "show at most N lines of the tree view, and the first N rows of each list, in every "
          "format (default: on a terminal as many as fit, elsewhere all rows of lists); of "
          "--histogram and --ages, the rows with the most bytes",
          "show at most N lines of the tree view"),
      kDepthFlag,
      kAllLevelsFlag,
      kVerboseFlag,
      kSiFlag<Request>,

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
      with_help(
          kWhereFlag<Request, set_entry_where>,
          "count only entries for which EXPR is true, as in SQL: \"size > 1M and age > 90d and "
          "owner = ana\"; fields: size, used, age (not of directories), mtime, owner, group, "
          "uid, gid, mode, kind, ext, name, links; `fathom find --help` describes them"),
      kFromFlag<Request>,
      kFromStoreFlag<Request>,

      kOneFileSystemFlag<Request>,
      kThreadsFlag<Request>,
      kEngineFlag<Request>,
      kSnapshotFlag<Request>,
      kNiceFlag<Request>,
      kMaxOpsFlag<Request>,
      kTraceFlag<Request>,
      kMemoryFlag<Request>,
      kThreadStatsFlag<Request>,

      kShardFlags[kShard]...,

      kPlainFlag<Request>,
      kProgressFlag<Request>,
      kColorFlag<Request>,
      kBacktraceFlag<Request>,
      kBriefHelpFlag<Request>,
      kHelpFlag<Request>,
  };
}

constexpr auto kFlags = all_flags(std::make_index_sequence<fs::kReports.size()>(),
                                  std::make_index_sequence<kShardFlags.size()>());

bool asks_for(const ScanRequest& request, fs::ReportKind kind) {
  return std::ranges::find(request.reports, kind, &fs::ReportRequest::kind) !=
         request.reports.end();
}

// Checks combinations of flags, in any order.
void check_together(const ScanRequest& request) {
  check_selection(request.select);
  check_csv(request, request.format == Format::csv);
  if (request.all_levels && !asks_for(request, fs::ReportKind::largest_dirs)) {
    throw UsageError("option '--all-levels' needs '--largest-dirs N'");
  }
  if (request.verbose && !asks_for(request, fs::ReportKind::explain)) {
    throw UsageError("option '--verbose' needs '--explain'");
  }
  if (request.from && request.progress == When::always) {
    throw UsageError("options '--progress always' and '--from' exclude each other");
  }
  if (is_export(request.format) && !(request.reports.empty() && request.tree_views.empty())) {
    throw UsageError("--format " + name_of(request.format) +
                     " exports the tree, not reports; remove the report option");
  }
  if (request.format == Format::ncdu && request.paths.size() > 1) {
    throw UsageError("--format ncdu can hold only one directory; scan each PATH separately");
  }
  if (request.format != Format::text && !request.tree_views.empty()) {
    throw UsageError("option '--tree' works only with --format text");
  }
  if (request.format == Format::csv && request.reports.size() > 1) {
    throw UsageError("--format csv can hold only one report; request one at a time, or use json");
  }
}

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::report, "Reports, printed in the order given (none: a summary and a tree view)"},
    {FlagGroup::output, "Output"},
    {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},
    {FlagGroup::shard, "Shards, for several processes or machines that share a scan"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    kNamesSection,
    {"Environment",
     "The tree view is fitted to the size that the terminal reports. COLUMNS is its width when the "
     "output is not a terminal (default: 80; the minimum is 40); it then has at most 24 rows. "
     "COLUMNS and LINES also replace a size that a terminal does not report. NO_COLOR, if not "
     "empty, turns colours "
     "off. LC_ALL, LC_CTYPE and LANG decide whether non-ASCII characters are shown; if not, they "
     "are escaped: \\u00f6."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results closed the pipe early"},
    {kIncomplete,
     "something could not be read, so the sizes are lower bounds; or the results could not be "
     "written"},
    {kWrongUsage,
     "wrong usage, or no PATH exists, or a FILE of -o, --from or --exclude-from cannot be opened; "
     "nothing was done"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; the results so far are printed. A second interrupt "
     "ends the program immediately"},
};

}  // namespace

const Manual& scan_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "scan",
      .purpose = "Shows what fills a filesystem.",
      .name_line = "show what fills a filesystem",
      .in_short = "Shows what fills a filesystem: each PATH and everything below it.",
      .introduction =
          "Scans each PATH (default: the current directory) and everything below it. Symbolic "
          "links are not followed, and a file with several names is counted once. After --, "
          "everything is a PATH.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom scan                       this directory: a summary and a tree view\n"
          "  fathom scan /var /home -x         without other filesystems\n"
          "  fathom scan ~ --largest-files 20\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

ScanRequest parse_scan(const std::vector<std::string>& arguments) {
  const Manual& manual = scan_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  ScanRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_from(request, manual.flags, found);
  check_from_store(request);
  check_shard(request, manual.flags, found);
  request.shard.selection = selection_words(manual.flags, found);
  check_together(request);
  if (request.frozen) need_bulk_engine(request, "--snapshot", true);
  return request;
}

}  // namespace fathom::cli
