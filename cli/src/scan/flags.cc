#include "scan/flags.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "message.h"
#include "scan/age.h"
#include "scan/arguments.h"
#include "scan/from.h"
#include "scan/ncdu_output.h"
#include "scan/refusal.h"
#include "scan/select_flags.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr std::size_t kMaxCount = 1'000'000'000;

std::size_t parse_number(std::string_view flag, std::string_view text, std::size_t largest,
                         std::size_t smallest = 1) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < smallest || number > largest) {
    refuse(flag, text,
           "a number from " + std::to_string(smallest) + " to " + std::to_string(largest));
  }
  return number;
}

When parse_when(std::string_view flag, std::string_view text) {
  if (text == "auto") return When::automatic;
  if (text == "always") return When::always;
  if (text == "never") return When::never;
  refuse(flag, text, "auto, always or never");
}

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

std::string parse_output(std::string_view text) {
  if (text.empty()) refuse("output", text, "the name of a file, or - for standard output");
  return std::string(text);
}

std::string parse_from(std::string_view text) {
  if (text.empty()) refuse("from", text, "the name of a file, or - for standard input");
  return std::string(text);
}

// For the options that select.
template <void (*Apply)(SelectRequest&, std::string_view)>
void select(ScanRequest& request, std::string_view argument) {
  Apply(request.select, argument);
}

std::chrono::seconds parse_recent(std::string_view text) {
  if (const auto age = parse_age(text)) return *age;
  refuse("recent", text, "a number and one of s, m, h, d and w, as in 90s or 2w, up to 366000d");
}

// For the reports that need no argument.
template <fs::ReportKind Kind>
void add_report(ScanRequest& request, std::string_view /*argument*/) {
  request.reports.push_back({Kind});
}

// What flags say together, whatever their order.
void check_together(const ScanRequest& request) {
  check_selection(request.select, request.from.has_value());
  if (request.format == Format::ncdu) check_ncdu(request);
  if (request.format != Format::text && !request.pictures.empty()) {
    throw UsageError("option '--tree' draws text; --format json or csv cannot hold it");
  }
  if (request.format == Format::csv && request.reports.size() > 1) {
    throw UsageError("--format csv holds one report; ask for one at a time, or use json");
  }
}

constexpr ScanFlag kFlags[] = {
    {"summary", '\0', "", "numbers of entries, sizes, time", FlagGroup::report,
     add_report<fs::ReportKind::summary>},
    {"tree", '\0', "", "the picture of the largest directories (text alone)", FlagGroup::report,
     [](ScanRequest& request, std::string_view) {
       request.pictures.push_back(request.reports.size());
     }},
    {"largest-files", '\0', "N", "the N largest files", FlagGroup::report,
     [](ScanRequest& request, std::string_view argument) {
       const std::size_t count = parse_number("largest-files", argument, kMaxCount);
       request.reports.push_back({fs::ReportKind::largest_files, count});
     }},
    {"largest-dirs", '\0', "N", "the N largest directories, each with all below it",
     FlagGroup::report,
     [](ScanRequest& request, std::string_view argument) {
       const std::size_t count = parse_number("largest-dirs", argument, kMaxCount);
       request.reports.push_back({fs::ReportKind::largest_dirs, count});
     }},
    {"recent", '\0', "AGE", "what was modified within AGE: 90s, 15m, 1h, 7d, 2w", FlagGroup::report,
     [](ScanRequest& request, std::string_view argument) {
       request.reports.push_back({fs::ReportKind::recent, 0, parse_recent(argument)});
     }},
    {"extensions", '\0', "", "what each extension of names accounts for", FlagGroup::report,
     add_report<fs::ReportKind::extensions>},
    {"empty-dirs", '\0', "", "the directories that hold nothing", FlagGroup::report,
     add_report<fs::ReportKind::empty_dirs>},
    {"symlinks", '\0', "", "the symbolic links", FlagGroup::report,
     add_report<fs::ReportKind::symlinks>},
    {"errors", '\0', "", "everything that could not be read, and why", FlagGroup::report,
     add_report<fs::ReportKind::errors>},
    {"metrics", '\0', "", "every directory: what is in it and below it", FlagGroup::report,
     add_report<fs::ReportKind::metrics>},
    {"stats", '\0', "", "averages, quantiles and extremes", FlagGroup::report,
     add_report<fs::ReportKind::stats>},
    {"owners", '\0', "", "what each user owns", FlagGroup::report,
     add_report<fs::ReportKind::owners>},
    {"ages", '\0', "", "how much was modified how long ago", FlagGroup::report,
     add_report<fs::ReportKind::ages>},
    {"histogram", '\0', "", "how many files there are of which size", FlagGroup::report,
     add_report<fs::ReportKind::histogram>},
    {"explain", '\0', "", "where the space that df calls used is, and what no scan can find",
     FlagGroup::report, add_report<fs::ReportKind::explain>},

    {"format", '\0', "FORMAT",
     "text (default), json, csv, which holds one report, or ncdu, which holds the tree itself, for "
     "ncdu and --from; without a report json and csv hold the summary",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) {
       request.format = parse_format(argument);
     },
     "text json csv ncdu"},
    {"output", 'o', "FILE", "write the results to FILE, whole or not at all; - is standard output",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) {
       request.output = parse_output(argument);
     }},
    {"apparent-size", '\0', "", "order and picture by apparent size instead of disk usage",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view) { request.measure = fs::Measure::apparent; }},
    {"sort", '\0', "ORDER",
     "the order of lists, in every format, and of pictures: size, count (of entries), name or "
     "mtime "
     "(the latest first)",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) { request.order = parse_order(argument); },
     "size count name mtime"},
    {"top", '\0', "N",
     "at most N lines of each picture, and the first N rows of each list, in every format; of the "
     "histogram and of ages those with the most bytes",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) {
       request.top = parse_number("top", argument, kMaxCount);
     }},
    {"depth", '\0', "N",
     "pictures show N levels below each PATH, 0: the PATHs alone (default: as many as fit); a "
     "directory that holds but one directory shares a row, and a level, with it: a/b/",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) {
       request.depth = static_cast<unsigned>(parse_number("depth", argument, kMaxCount, 0));
     }},
    {"si", '\0', "", "sizes in powers of 1000 (kB, MB) instead of 1024 (KiB, MiB)",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view) { request.units = base::Units::si; }},

    {"exclude", '\0', "GLOB",
     "leave out what the rule says, as git's ignore files do: *.o, build/ (directories), /tmp (in "
     "the PATH itself), !keep.o (not after all); again for more, of which the last decides",
     FlagGroup::select, select<exclude>},
    {"exclude-from", '\0', "FILE", "leave out by the rules in FILE, one in each line",
     FlagGroup::select, select<exclude_from>},
    {"exclude-caches", '\0', "", "leave out directories that are tagged by a CACHEDIR.TAG",
     FlagGroup::select,
     [](ScanRequest& request, std::string_view) { request.select.selection.caches = false; }},
    {"exclude-kernfs", '\0', "", "leave out /proc, /sys and the like, wherever they are mounted",
     FlagGroup::select,
     [](ScanRequest& request, std::string_view) {
       request.select.selection.kernel_filesystems = false;
     }},
    {"no-hidden", '\0', "", "leave out names that begin with a dot", FlagGroup::select,
     [](ScanRequest& request, std::string_view) { request.select.selection.hidden = false; }},
    {"min-size", '\0', "SIZE",
     "count only what itself takes SIZE or more: 4k (4096), 1.5GiB, 2GB (2 times 1000^3); on disk, "
     "or apparent with --apparent-size",
     FlagGroup::select, select<set_min_size>},
    {"newer", '\0', "WHEN",
     "count only what was modified at or after WHEN: 12h or 7d ago; 2026-01-31, 2026-01-31T08:00 "
     "or 2026-01-31T08:00:00, local time; @1767225600, seconds since 1970",
     FlagGroup::select, select<set_newer>},
    {"older", '\0', "WHEN", "count only what was modified before WHEN", FlagGroup::select,
     select<set_older>},
    {"type", '\0', "TYPES", "count only these, with commas between: f,d,l,o or file,dir,link,other",
     FlagGroup::select, select<set_kinds>},
    {"ext", '\0', "EXTS",
     "count only what has one of these extensions, which is what follows the last dot: log,gz; "
     "again "
     "for more",
     FlagGroup::select, select<add_extensions>},
    {"from", '\0', "FILE",
     "read what was scanned before from FILE, an export of --format ncdu, ncdu or gdu, instead of "
     "scanning; - is standard input",
     FlagGroup::select,
     [](ScanRequest& request, std::string_view argument) { request.from = parse_from(argument); }},

    {"one-file-system", 'x', "", "leave out what is on other filesystems than its PATH",
     FlagGroup::scan,
     [](ScanRequest& request, std::string_view) { request.one_file_system = true; }},
    {"threads", 'j', "N", "use N threads, 1 to 1024 (default: as the processors allow)",
     FlagGroup::scan,
     [](ScanRequest& request, std::string_view argument) {
       const std::size_t threads = parse_number("threads", argument, kMaxThreads);
       request.threads = static_cast<unsigned>(threads);
     }},
    {"engine", '\0', "ENGINE",
     "serial, pool, steal or lockfree (default): how threads share the work; the results are the "
     "same",
     FlagGroup::scan,
     [](ScanRequest& request, std::string_view argument) {
       request.engine = parse_engine(argument);
     },
     "serial pool steal lockfree"},
    {"nice", '\0', "", "let others have the processor and the disk first", FlagGroup::scan,
     [](ScanRequest& request, std::string_view) { request.nice = true; }},
    {"max-ops", '\0', "N", "ask the filesystem for at most N things a second, with all threads",
     FlagGroup::scan,
     [](ScanRequest& request, std::string_view argument) {
       request.max_operations = parse_number("max-ops", argument, kMaxCount);
     }},

    {"plain", '\0', "", "words instead of columns and symbols, a fact a line, for screen readers",
     FlagGroup::display, [](ScanRequest& request, std::string_view) { request.plain = true; }},
    {"progress", '\0', "WHEN", "auto (default: on a terminal), always or never", FlagGroup::display,
     [](ScanRequest& request, std::string_view argument) {
       request.progress = parse_when("progress", argument);
     },
     "auto always never"},
    {"color", '\0', "WHEN",
     "auto (default: on a terminal, unless NO_COLOR is set), always or never", FlagGroup::display,
     [](ScanRequest& request, std::string_view argument) {
       request.color = parse_when("color", argument);
     },
     "auto always never"},
    {"", 'h', "", "show the commonest options", FlagGroup::display,
     [](ScanRequest& request, std::string_view) { request.help = Help::brief; }},
    {"help", '\0', "", "show this text", FlagGroup::display,
     [](ScanRequest& request, std::string_view) { request.help = Help::full; }},
};

}  // namespace

std::span<const ScanFlag> scan_flags() {
  return kFlags;
}

std::vector<std::string> spellings(const ScanFlag& flag) {
  std::vector<std::string> spellings;
  if (flag.letter != '\0') spellings.push_back(std::string("-") + flag.letter);
  if (!flag.name.empty()) spellings.push_back("--" + std::string(flag.name));
  return spellings;
}

ScanRequest parse_scan(const std::vector<std::string>& arguments) {
  Arguments found = split_arguments(kFlags, arguments);
  ScanRequest request;
  for (const Arguments::Given& given : found.flags) given.flag->apply(request, given.argument);
  for (const std::string& path : found.paths) {
    if (path.empty()) throw UsageError("a path is empty; the current directory is '.'");
  }
  if (request.help == Help::none) check_from(request, found);
  request.paths = std::move(found.paths);
  if (request.paths.empty()) request.paths.emplace_back(".");
  // A line that is drawn again and again would be read out again and again.
  if (request.plain && request.progress == When::automatic) request.progress = When::never;
  if (request.help == Help::none) check_together(request);
  return request;
}

}  // namespace fathom::cli
