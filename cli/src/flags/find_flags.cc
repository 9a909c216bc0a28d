// The flags and the manual of `fathom find`.

#include "flags/find_flags.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "fathom/fs/ignore.h"
#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "flags/item_plan_flags.h"
#include "flags/select_flags.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// ---- The flags

constexpr FlagOf<FindRequest> kSummaryFlag = {
    {.name = "summary",
     .help = "show only the sums for each GLOB; what is in several matches is counted once",
     .brief = "show only the sums for each GLOB",
     .group = FlagGroup::output,
     .common = true},
    turn_on<&FindRequest::summary>};

constexpr FlagOf<FindRequest> kLongFlag = {
    {.name = "long",
     .letter = 'l',
     .help = "show sizes and times beside the paths, and the sum of all matches; the size of a "
             "directory is that of everything in it",
     .brief = "show sizes and times beside the paths",
     .group = FlagGroup::output,
     .common = true},
    turn_on<&FindRequest::details>};

constexpr FlagOf<FindRequest> kPrint0Flag = {
    {.name = "print0",
     .letter = '0',
     .help = "write each path unchanged, even to a terminal, with a NUL byte instead of a newline "
             "after it: for xargs -0",
     .brief = "write a NUL byte after each path, for xargs -0",
     .group = FlagGroup::output,
     .common = true},
    turn_on<&FindRequest::print0>};

using Request = FindRequest;

constexpr std::array kFlags = {
    kSummaryFlag,
    kLongFlag,
    kPrint0Flag,
    kTableFormatFlag<Request>,
    kOutputFlag<Request>,
    kCsvSafeFlag<Request>,
    with_help(kApparentSizeFlag<Request>,
              "use apparent size instead of disk usage for --sort, --min-size and the sum"),
    with_help(kSortFlag<Request>, "sort by {}; default: by path", "size, count, name or mtime"),
    with_help(kTopFlag<Request>, "show the first N matches; sums and plans still cover all matches",
              "show the first N matches"),
    kSiFlag<Request>,

    with_help(
        kItemPlanFlag<Request>,
        "write a plan for the matches to FILE, one line per item, for `fathom apply`. A match "
        "inside another one belongs to it. To leave something alone, remove its line. "
        "Nothing is changed yet. An existing FILE is replaced only with --force"),
    kItemActionFlag<Request>,
    kForcePlanFlag<Request>,

    kExcludeFlag<Request>,
    kExcludeFromFlag<Request>,
    kExcludeCachesFlag<Request>,
    kExcludeKernfsFlag<Request>,
    kNoHiddenFlag<Request>,
    with_help(kOnlyFlag<Request>,
              "look only at what matches this GLOB, as in --exclude: files, and directories with "
              "everything in them; repeatable"),
    with_help(kMinSizeFlag<Request>,
              "find only entries of SIZE or more, directories with everything in them: 4k (4096), "
              "1.5GiB, 2GB (2 times 1000^3); on disk, or in apparent size with --apparent-size",
              "find only entries of SIZE or more"),
    with_help(kNewerFlag<Request>,
              "find only entries modified at or after WHEN: 12h or 7d (ago); today or yesterday "
              "(its start); 2026-01-31, 2026-01-31T08:00 or 2026-01-31T08:00:00 (local time; "
              "in an hour that the clock repeats, the first time); @1767225600 (seconds since "
              "1970)"),
    with_help(kOlderFlag<Request>, "find only entries modified before WHEN",
              "find only entries modified before WHEN"),
    with_help(kTypeFlag<Request>,
              "find only these types, separated by commas: f,d,l,o or file,dir,link,other",
              "find only these types: f,d,l,o"),
    with_help(kExtFlag<Request>,
              "find only entries with one of these extensions (the part after the last dot): "
              "log,gz; repeatable"),
    with_help(
        kWhereFlag<Request, set_found_where>,
        "find only entries for which EXPR is true, as in SQL: \"age > 90d and owner = ana and "
        "not path ~ '/srv/keep/**'\"; see Conditions"),
    kFromFlag<Request>,
    kFromStoreFlag<Request>,

    kOneFileSystemFlag<Request>,
    kThreadsFlag<Request>,
    kNiceFlag<Request>,
    kMaxOpsFlag<Request>,
    kTraceFlag<Request>,
    kMemoryFlag<Request>,
    kThreadStatsFlag<Request>,

    kPlainFlag<Request>,
    kProgressFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

[[noreturn]] void exclude_each_other(std::string_view a, std::string_view b) {
  throw UsageError("options '--" + std::string(a) + "' and '--" + std::string(b) +
                   "' exclude each other");
}

// Checks combinations of flags, in any order.
void check_together(const FindRequest& request) {
  check_selection(request.select);
  check_csv(request, request.format == TableFormat::csv);
  if (request.from && request.plan.write) exclude_each_other("plan", "from");
  if (request.from && request.progress == When::always) {
    throw UsageError("options '--progress always' and '--from' exclude each other");
  }
  if (request.summary && request.details) exclude_each_other("summary", "long");
  if (request.print0 && request.summary) exclude_each_other("print0", "summary");
  if (request.print0 && request.details) exclude_each_other("print0", "long");
  if (request.format == TableFormat::text) return;
  const std::string_view text_only = request.print0 ? "print0" : request.details ? "long" : "";
  if (text_only.empty()) return;
  throw UsageError("option '--" + std::string(text_only) + "' works only with --format text");
}

// ---- Patterns and paths

bool is_path(std::string_view word) {
  return word == "." || word == ".." || word.find('/') != std::string_view::npos;
}

void add_pattern(FindRequest& request, const std::string& word) {
  if (word.empty()) throw UsageError("a GLOB is empty; '*' matches every name");
  if (is_path(word)) {
    throw UsageError("'" + escaped(word) +
                     "' precedes '--' but is not a GLOB: names contain no slash");
  }
  if (fs::Glob(word).malformed()) {
    throw UsageError("GLOB '" + escaped(word) +
                     "' is incomplete: '[' needs a ']', and a backslash a character after it");
  }
  request.patterns.push_back(word);
}

// Moves the patterns from the paths to the request.
void take_patterns(FindRequest& request, Arguments& found, IsDirectory is_directory) {
  const bool divided = found.before_dashes.has_value();
  const std::size_t words = found.before_dashes.value_or(found.paths.size());
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < found.paths.size(); ++i) {
    const std::string& word = found.paths[i];
    if (i >= words || (!divided && is_path(word))) {
      paths.push_back(word);
      continue;
    }
    const bool follows_wildcards =
        std::any_of(request.patterns.begin(), request.patterns.end(), has_wildcards);
    if (!divided && follows_wildcards && !has_wildcards(word) && is_directory(word)) {
      paths.push_back(word);
      continue;
    }
    add_pattern(request, word);
  }
  request.globs_given = !request.patterns.empty();
  if (!request.globs_given) request.patterns.emplace_back("*");
  found.paths = std::move(paths);
}

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"}, {FlagGroup::act, "Plan"},        {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},     {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"GLOB and PATH",
     "An argument with a slash is a PATH, and so are . and .., and the name of an existing "
     "directory after a GLOB with a wildcard; every other argument is a GLOB. With --, the "
     "arguments before it are GLOBs and those after it are PATHs. Without --, a second or later "
     "GLOB without a wildcard may be meant as a PATH: it is refused if a file or directory has "
     "that name, and reported if it matches nothing and no PATH is given. Write ./NAME for the "
     "PATH, or -- after the GLOBs. A PATH that does not exist may be meant as a GLOB: without --, "
     "it is refused if it has a wildcard or, without a GLOB, is written NAME/. With --plan, every "
     "PATH must exist. Quote wildcards, so that the shell leaves them "
     "alone. A GLOB that begins with a dash is written [-]x."},
    kConditionsSection,
    {"Names",
     "A terminal shows names escaped: \\n, \\x1b, \\u202e, \\\\ and the like stand for characters "
     "that it would interpret or not show. Elsewhere paths are written unchanged, except that a "
     "path "
     "with a newline is escaped and counted on standard error. With -0, no path is escaped."},
    {"Environment",
     "COLUMNS is ignored when output is not a terminal; lines are not truncated. NO_COLOR, if not "
     "empty, turns colours off. LC_ALL, LC_CTYPE and LANG decide whether a terminal shows "
     "non-ASCII "
     "characters; if not, they are escaped: \\u00f6."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete,
     "complete, even if nothing matches; or the reader of the results closed the pipe early"},
    {kIncomplete, "something could not be read, is not in the plan, or could not be written"},
    {kWrongUsage,
     "wrong usage, or no PATH exists, or a plan is refused, or a FILE of -o, --from or "
     "--exclude-from cannot be opened; nothing was done"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; the matches so far are printed. A second interrupt "
     "ends the program immediately"},
};

}  // namespace

const Manual& find_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "find",
      .operands = "[GLOB...] [PATH...]",
      .purpose = "Finds entries by name.",
      .name_line = "find entries by name, and sum up what they take",
      .in_short = "Finds the entries in each PATH whose names match a GLOB.",
      .introduction =
          "Prints the path of each entry below each PATH (default: the current directory) whose "
          "name "
          "matches a GLOB (default: *), in the order of the paths. A GLOB is compared with whole "
          "names, not with paths: * stands for any characters, ? for one, [a-z] for one of a set, "
          "and ASCII letters match in any case. A PATH that is a directory is not matched itself; "
          "only its contents are. Directories are searched whether they match or not, and symbolic "
          "links "
          "are not followed.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom find '*.log' /var\n"
          "  fathom find --summary node_modules target -- ~    what they take together\n"
          "  fathom find '*.iso' ~/ -l --sort size --top 10\n"
          "  fathom find '*.log' --older 30d -0 | xargs -0 gzip --\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

FindRequest parse_find(const std::vector<std::string>& arguments, IsDirectory is_directory) {
  const Manual& manual = find_manual();
  Arguments found = split_arguments(manual.command, manual.flags, arguments);
  FindRequest words;
  const auto is_from = [&](const Arguments::Given& one) {
    return manual.flags[one.flag].name == kFromFlag<Request>.flag.name;
  };
  const bool saved = std::any_of(found.flags.begin(), found.flags.end(), is_from);
  take_patterns(words, found, saved ? [](const std::string&) { return false; } : is_directory);
  FindRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  request.patterns = std::move(words.patterns);
  request.globs_given = words.globs_given;
  request.divided = found.before_dashes.has_value();
  request.paths_given = !found.paths.empty();
  check_from(request, manual.flags, found);
  check_from_store(request);
  check_together(request);
  return request;
}

}  // namespace fathom::cli
