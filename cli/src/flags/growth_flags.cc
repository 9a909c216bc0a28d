// The flags and the manual of `fathom growth`.

#include "flags/growth_flags.h"

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = GrowthRequest;

// ---- The flags

constexpr FlagOf<Request> kSinceFlag = {
    {.name = "since",
     .arg = Arg::time,
     .metavar = "WHEN",
     .help = "use only snapshots since WHEN: 12h, 30d or 8w (ago); today or yesterday (its start); "
             "2026-01-31 or 2026-01-31T08:00 (local time) (default: all)",
     .brief = "use only snapshots since WHEN: 30d, 2026-01-31",
     .group = FlagGroup::output,
     .common = true},
    [](Request& request, const Flag& flag, std::string_view when) {
      request.since = parse_moment(flag, when);
    }};

constexpr FlagOf<Request> kDepthFlag = {
    {.name = "depth",
     .arg = Arg::number,
     .metavar = "N",
     .help = "show N levels of directories below PATH; 0 shows only PATH (default: 1)",
     .brief = "show N levels of directories (default: 1)",
     .group = FlagGroup::output,
     .common = true,
     .range = {0, kCounts.largest}},
    set_number<&Request::depth>};

constexpr std::array kFlags = {
    kStoreFlag<Request>,
    kSinceFlag,
    kDepthFlag,
    with_help(kTopFlag<Request>, "show at most N directories, in text",
              "show at most N directories"),
    kTableFormatFlag<Request>,
    kOutputFlag<Request>,
    kCsvSafeFlag<Request>,
    with_help(kApparentSizeFlag<Request>, "show apparent sizes instead of disk usage"),
    kSiFlag<Request>,

    kPlainFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Forecast",
     "A straight line is fitted to the used space of the filesystem over time. The filesystem is "
     "full when the line reaches the used plus the available space of the last snapshot; the dates "
     "around are the limits of a 95 % prediction interval, which assumes that the deviations from "
     "the line are independent. There is no forecast from fewer than 5 snapshots, if the "
     "filesystem is full already, was resized or becomes emptier, if its growth cannot be told "
     "from none, or if the forecast would look ahead more than 5 times as far as the snapshots "
     "look back."},
    kNamesSection,
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results closed the pipe early"},
    {kIncomplete,
     "a snapshot could not be read, or lacks a part of PATH that could not be read, or the results "
     "could not be written"},
    {kWrongUsage,
     "wrong usage, or no snapshot contains PATH, or the store or the FILE of -o cannot be opened"},
    {kInterrupted, "interrupted by Ctrl-C, SIGTERM or SIGHUP"},
};

}  // namespace

const Manual& growth_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "growth",
      .operands = "[PATH]",
      .purpose = "Shows how directories grew over many snapshots.",
      .name_line = "show how directories grew over many snapshots",
      .in_short = "Shows how PATH grew over the snapshots that contain it.",
      .introduction =
          "Shows how large PATH and the directories in it were in each snapshot that `fathom "
          "snapshot` kept, and when the filesystem will be full if it goes on like this. PATH is "
          "by default the current directory, if a snapshot contains it, otherwise what the latest "
          "snapshot is of.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom growth\n"
          "  fathom growth /srv --since 30d --depth 2\n"
          "  fathom growth /srv --format csv -o srv.csv\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

GrowthRequest parse_growth(const std::vector<std::string>& arguments) {
  const Manual& manual = growth_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  GrowthRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  if (found.paths.size() > 1) {
    throw UsageError("at most one PATH; remove '" + escaped(found.paths[1]) + "'");
  }
  if (!found.paths.empty()) request.path = found.paths.front();
  check_csv(request, request.format == TableFormat::csv);
  return request;
}

}  // namespace fathom::cli
