// The flags of `fathom scan`: the table, and checks of combinations.

#include "scan/flags.h"

#include <chrono>
#include <cstddef>

#include "flag/arguments.h"
#include "flag/common_flags.h"
#include "flag/refusal.h"
#include "flag/values.h"
#include "message.h"
#include "scan/from.h"
#include "scan/ncdu_output.h"
#include "select/age.h"
#include "select/select_flags.h"

namespace fathom::cli {

namespace {

Format parse_format(std::string_view text) {
  if (text == "text") return Format::text;
  if (text == "json") return Format::json;
  if (text == "csv") return Format::csv;
  if (text == "ncdu") return Format::ncdu;
  refuse("format", text, "text, json, csv or ncdu");
}

Order parse_order(std::string_view text) {
  if (text == "size") return Order::size;
  if (text == "count") return Order::count;
  if (text == "name") return Order::name;
  if (text == "mtime") return Order::mtime;
  refuse("sort", text, "size, count, name or mtime");
}

fs::Engine parse_engine(std::string_view text) {
  if (const auto engine = fs::parse_engine(text)) return *engine;
  refuse("engine", text, "serial, pool, steal or lockfree");
}

std::string parse_from(std::string_view text) {
  if (text.empty()) refuse("from", text, "a file name, or - for standard input");
  return std::string(text);
}

std::chrono::seconds parse_recent(std::string_view text) {
  if (const auto age = parse_age(text)) return *age;
  refuse("recent", text, "a number and a unit (s, m, h, d or w) such as 90s or 2w, up to 366000d");
}

// For the reports without an argument.
template <fs::ReportKind Kind>
void add_report(ScanRequest& request, std::string_view /*argument*/) {
  request.reports.push_back({Kind});
}

// Checks combinations of flags, in any order.
void check_together(const ScanRequest& request) {
  check_selection(request.select, request.from.has_value());
  if (request.format == Format::ncdu) check_ncdu(request);
  if (request.format != Format::text && !request.tree_views.empty()) {
    throw UsageError("option '--tree' works only with --format text");
  }
  if (request.format == Format::csv && request.reports.size() > 1) {
    throw UsageError("--format csv can hold only one report; request one at a time, or use json");
  }
}

constexpr FlagOf<ScanRequest> kFlags[] = {
    {{"summary", '\0', "", "the number of entries, their sizes, and the time", FlagGroup::report},
     add_report<fs::ReportKind::summary>},
    {{"tree", '\0', "", "a tree view of the largest directories (text format only)",
      FlagGroup::report},
     [](ScanRequest& request, std::string_view) {
       request.tree_views.push_back(request.reports.size());
     }},
    {{"largest-files", '\0', "N", "the N largest files", FlagGroup::report},
     [](ScanRequest& request, std::string_view argument) {
       const std::size_t count = parse_number("largest-files", argument, kMaxCount);
       request.reports.push_back({fs::ReportKind::largest_files, count});
     }},
    {{"largest-dirs", '\0', "N", "the N largest directories, each with everything below it",
      FlagGroup::report},
     [](ScanRequest& request, std::string_view argument) {
       const std::size_t count = parse_number("largest-dirs", argument, kMaxCount);
       request.reports.push_back({fs::ReportKind::largest_dirs, count});
     }},
    {{"recent", '\0', "AGE", "entries modified within AGE: 90s, 15m, 1h, 7d, 2w",
      FlagGroup::report},
     [](ScanRequest& request, std::string_view argument) {
       request.reports.push_back({fs::ReportKind::recent, 0, parse_recent(argument)});
     }},
    {{"extensions", '\0', "", "files and sizes by extension", FlagGroup::report},
     add_report<fs::ReportKind::extensions>},
    {{"empty-dirs", '\0', "", "empty directories", FlagGroup::report},
     add_report<fs::ReportKind::empty_dirs>},
    {{"symlinks", '\0', "", "symbolic links and their targets", FlagGroup::report},
     add_report<fs::ReportKind::symlinks>},
    {{"errors", '\0', "", "everything that could not be read, and why", FlagGroup::report},
     add_report<fs::ReportKind::errors>},
    {{"metrics", '\0', "", "every directory, with counts and sizes", FlagGroup::report},
     add_report<fs::ReportKind::metrics>},
    {{"stats", '\0', "", "averages, quantiles and extremes", FlagGroup::report},
     add_report<fs::ReportKind::stats>},
    {{"owners", '\0', "", "disk usage by user, then by group", FlagGroup::report},
     add_report<fs::ReportKind::owners>},
    {{"ages", '\0', "", "disk usage by time since the last modification", FlagGroup::report},
     add_report<fs::ReportKind::ages>},
    {{"histogram", '\0', "", "the number of files by size", FlagGroup::report},
     add_report<fs::ReportKind::histogram>},
    {{"explain", '\0', "", "what uses the space that df reports, even where a scan cannot find it",
      FlagGroup::report},
     add_report<fs::ReportKind::explain>},

    {{"format", '\0', "FORMAT",
      "text (default), json, csv (one report only) or ncdu (the tree itself, for ncdu and --from); "
      "without a report, json and csv contain the summary",
      FlagGroup::output, "text json csv ncdu"},
     [](ScanRequest& request, std::string_view argument) {
       request.format = parse_format(argument);
     }},
    kOutputFlag<ScanRequest>,
    {{"apparent-size", '\0', "", "sort and draw by apparent size instead of disk usage",
      FlagGroup::output},
     [](ScanRequest& request, std::string_view) { request.measure = fs::Measure::apparent; }},
    {{"sort", '\0', "ORDER",
      "sort lists (in every format) and the tree view by size, count (of entries), name or mtime "
      "(latest first)",
      FlagGroup::output, "size count name mtime"},
     [](ScanRequest& request, std::string_view argument) {
       request.order = parse_order(argument);
     }},
    with_help(kTopFlag<ScanRequest>,
              "show at most N lines of the tree view, and the first N rows of each list, in every "
              "format; of --histogram and --ages, the rows with the most bytes"),
    {{"depth", '\0', "N",
      "show N levels below each PATH in the tree view; 0 shows only the PATHs (default: as many "
      "levels as fit); a directory that contains only one directory shares its row and level: a/b/",
      FlagGroup::output},
     [](ScanRequest& request, std::string_view argument) {
       request.depth = static_cast<unsigned>(parse_number("depth", argument, kMaxCount, 0));
     }},
    kSiFlag<ScanRequest>,

    kExcludeFlag<ScanRequest>,
    kExcludeFromFlag<ScanRequest>,
    kExcludeCachesFlag<ScanRequest>,
    kExcludeKernfsFlag<ScanRequest>,
    kNoHiddenFlag<ScanRequest>,
    {{"min-size", '\0', "SIZE",
      "count only entries that themselves take SIZE or more: 4k (4096), 1.5GiB, 2GB (2 times "
      "1000^3); on disk, or in apparent size with --apparent-size",
      FlagGroup::select},
     select<ScanRequest, set_min_size>},
    kNewerFlag<ScanRequest>,
    kOlderFlag<ScanRequest>,
    {{"type", '\0', "TYPES",
      "count only these types, separated by commas: f,d,l,o or file,dir,link,other",
      FlagGroup::select},
     select<ScanRequest, set_kinds>},
    kExtFlag<ScanRequest>,
    {{"from", '\0', "FILE",
      "instead of scanning, read a saved scan from FILE, an export of --format ncdu, ncdu or gdu; "
      "- is standard input",
      FlagGroup::select},
     [](ScanRequest& request, std::string_view argument) { request.from = parse_from(argument); }},

    kOneFileSystemFlag<ScanRequest>,
    kThreadsFlag<ScanRequest>,
    {{"engine", '\0', "ENGINE",
      "how threads share the work: serial, pool, steal or lockfree (default); the results are the "
      "same",
      FlagGroup::scan, "serial pool steal lockfree"},
     [](ScanRequest& request, std::string_view argument) {
       request.engine = parse_engine(argument);
     }},
    kNiceFlag<ScanRequest>,
    {{"max-ops", '\0', "N", "limit to N filesystem operations per second, all threads together",
      FlagGroup::scan},
     [](ScanRequest& request, std::string_view argument) {
       request.max_operations = parse_number("max-ops", argument, kMaxCount);
     }},
    kTraceFlag<ScanRequest>,
    kMemoryFlag<ScanRequest>,
    kThreadStatsFlag<ScanRequest>,

    kPlainFlag<ScanRequest>,
    kProgressFlag<ScanRequest>,
    kColorFlag<ScanRequest>,
    kBacktraceFlag<ScanRequest>,
    kBriefHelpFlag<ScanRequest>,
    kHelpFlag<ScanRequest>,
};

}  // namespace

const std::vector<Flag>& scan_flags() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  return flags;
}

ScanRequest parse_scan(const std::vector<std::string>& arguments) {
  const Arguments found = split_arguments("scan", scan_flags(), arguments);
  ScanRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_from(request, found);
  check_together(request);
  return request;
}

}  // namespace fathom::cli
