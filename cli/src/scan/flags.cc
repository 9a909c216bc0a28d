#include "scan/flags.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "message.h"
#include "scan/age.h"
#include "scan/arguments.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr std::size_t kMaxCount = 1'000'000'000;

[[noreturn]] void refuse(std::string_view flag, std::string_view argument, std::string_view want) {
  throw UsageError("option '--" + std::string(flag) + "' takes " + std::string(want) + ", not '" +
                   escaped(argument) + "'");
}

std::size_t parse_number(std::string_view flag, std::string_view text, std::size_t largest) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > largest) {
    refuse(flag, text, "a number from 1 to " + std::to_string(largest));
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
  refuse("format", text, "text, json or csv");
}

fs::Engine parse_engine(std::string_view text) {
  if (const auto engine = fs::parse_engine(text)) return *engine;
  refuse("engine", text, "serial, pool, steal or lockfree");
}

std::string parse_output(std::string_view text) {
  if (text.empty()) refuse("output", text, "the name of a file, or - for standard output");
  return std::string(text);
}

std::chrono::seconds parse_recent(std::string_view text) {
  if (const auto age = parse_age(text)) return *age;
  refuse("recent", text, "a number and one of s, m, h, d and w, as in 90s or 2w");
}

// For the reports that need no argument.
template <fs::ReportKind Kind>
void add_report(ScanRequest& request, std::string_view /*argument*/) {
  request.reports.push_back({Kind});
}

// What flags say together, whatever their order.
void check_together(const ScanRequest& request) {
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

    {"format", '\0', "FORMAT",
     "text (default), json, or csv, which holds one report; without a report json and csv hold the "
     "summary",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) {
       request.format = parse_format(argument);
     }},
    {"output", 'o', "FILE", "write the results to FILE, whole or not at all; - is standard output",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view argument) {
       request.output = parse_output(argument);
     }},
    {"apparent-size", '\0', "", "order and picture by apparent size instead of disk usage",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view) { request.measure = fs::Measure::apparent; }},
    {"si", '\0', "", "sizes in powers of 1000 (kB, MB) instead of 1024 (KiB, MiB)",
     FlagGroup::output,
     [](ScanRequest& request, std::string_view) { request.units = base::Units::si; }},

    {"one-file-system", 'x', "", "leave out what is on another filesystem than its PATH",
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
     }},

    {"progress", '\0', "WHEN", "auto (default: on a terminal), always or never", FlagGroup::display,
     [](ScanRequest& request, std::string_view argument) {
       request.progress = parse_when("progress", argument);
     }},
    {"color", '\0', "WHEN",
     "auto (default: on a terminal, unless NO_COLOR is set), always or never", FlagGroup::display,
     [](ScanRequest& request, std::string_view argument) {
       request.color = parse_when("color", argument);
     }},
    {"help", 'h', "", "show this text", FlagGroup::display,
     [](ScanRequest& request, std::string_view) { request.help = true; }},
};

std::string_view title(FlagGroup group) {
  switch (group) {
    case FlagGroup::report:
      return "Reports, printed in the order given (none: a summary and a picture):";
    case FlagGroup::output:
      return "Output:";
    case FlagGroup::scan:
      return "Scan:";
    case FlagGroup::display:
      return "Display:";
  }
  return "";
}

constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kHelpWidth = 80;

// Appends the text, broken between words; the line so far has kHelpColumn columns.
void append_wrapped(std::string& help, std::string_view text) {
  std::size_t column = kHelpColumn;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column != kHelpColumn && column + 1 + word.size() > kHelpWidth) {
      help += '\n' + std::string(kHelpColumn, ' ');
      column = kHelpColumn;
    }
    if (column != kHelpColumn) {
      help += ' ';
      ++column;
    }
    help += word;
    column += word.size();
  }
  help += '\n';
}

void append_flag(std::string& help, const ScanFlag& flag) {
  std::string names = flag.letter == '\0' ? "      " : std::string("  -") + flag.letter + ", ";
  names += "--" + std::string(flag.name);
  if (!flag.argument.empty()) names += ' ' + std::string(flag.argument);
  names.resize(std::max(names.size() + 2, kHelpColumn), ' ');
  help += names;
  append_wrapped(help, flag.help);
}

}  // namespace

std::span<const ScanFlag> scan_flags() {
  return kFlags;
}

ScanRequest parse_scan(const std::vector<std::string>& arguments) {
  Arguments found = split_arguments(kFlags, arguments);
  ScanRequest request;
  for (const Arguments::Given& given : found.flags) given.flag->apply(request, given.argument);
  for (const std::string& path : found.paths) {
    if (path.empty()) throw UsageError("a path is empty; the current directory is '.'");
  }
  if (!request.help) check_together(request);
  request.paths = std::move(found.paths);
  if (request.paths.empty()) request.paths.emplace_back(".");
  return request;
}

std::string scan_help() {
  std::string help =
      "Shows what fills a filesystem.\n"
      "\n"
      "Usage: fathom scan [OPTION...] [PATH...]\n"
      "\n"
      "Scans each PATH (default: the current directory) with all below it. Symbolic\n"
      "links are not followed, and what has several names is counted once. After --,\n"
      "everything is a PATH.\n";
  for (const FlagGroup group :
       {FlagGroup::report, FlagGroup::output, FlagGroup::scan, FlagGroup::display}) {
    help += '\n';
    help += title(group);
    help += '\n';
    for (const ScanFlag& flag : kFlags) {
      if (flag.group == group) append_flag(help, flag);
    }
  }
  help +=
      "\n"
      "Names are escaped in text: \\n, \\x1b, \\u202e, \\\\ and the like stand for what a\n"
      "terminal would obey or not show.\n"
      "\n"
      "Exit codes:\n"
      "    0  complete\n"
      "    1  something could not be read, so that the sizes are lower bounds; or the\n"
      "       results could not be written\n"
      "    2  wrong usage, nothing done\n"
      "  130  interrupted; what was found until then is printed. Interrupting again\n"
      "       ends at once\n";
  return help;
}

}  // namespace fathom::cli
