// The flags and the manual of `fathom diff`.

#include "flags/diff_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = DiffRequest;
using store::DiffBy;

// ---- The flags

constexpr std::array kBys = {
    ChoiceOf<DiffBy>{{"dir", " (default)"}, DiffBy::directory},
    ChoiceOf<DiffBy>{{"owner"}, DiffBy::owner},
    ChoiceOf<DiffBy>{{"group"}, DiffBy::group},
    ChoiceOf<DiffBy>{{"ext"}, DiffBy::extension},
};

constexpr FlagOf<Request> kByFlag = {
    {.name = "by",
     .arg = Arg::text,
     .metavar = "LIST",
     .help = "sum the changes by these, separated by commas: {}; CSV has one of them",
     .brief = "sum the changes by dir, owner, group or ext",
     .group = FlagGroup::output,
     .common = true,
     .choices = kChoices<kBys>,
     .takes = "a comma-separated list of dir, owner, group and ext"},
    [](Request& request, const Flag& flag, std::string_view list) {
      request.by.clear();
      for (std::string_view rest = list;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        const auto* const known = std::find_if(
            kBys.begin(), kBys.end(), [item](const auto& by) { return by.choice.name == item; });
        if (known == kBys.end()) refuse(flag, list);
        request.by.push_back(known->value);
        if (comma == std::string_view::npos) return;
        rest.remove_prefix(comma + 1);
      }
    }};

constexpr FlagOf<Request> kDepthFlag = {
    {.name = "depth",
     .arg = Arg::number,
     .metavar = "N",
     .help = "show N levels of directories below the roots or PATH; 0 shows only these (default: "
             "as many levels as fit; in json and csv, all)",
     .brief = "show N levels of directories",
     .group = FlagGroup::output,
     .common = true,
     .range = {0, kCounts.largest}},
    set_number<&Request::depth>};

constexpr std::array kFlags = {
    kStoreFlag<Request>,
    kByFlag,
    kDepthFlag,
    with_help(kTopFlag<Request>, "show at most N lines of the tree and of each list",
              "show at most N lines of each list"),
    kTableFormatFlag<Request>,
    kOutputFlag<Request>,
    kCsvSafeFlag<Request>,
    with_help(kApparentSizeFlag<Request>, "compare apparent sizes instead of disk usage"),
    kSiFlag<Request>,

    kThreadsFlag<Request>,
    kNiceFlag<Request>,

    kPlainFlag<Request>,
    kProgressFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"},
    {FlagGroup::scan, "Scan, if one side is now"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"A and B",
     "A snapshot is named by @latest; @~1 (the one before the latest); @2026-11-20 (the last one "
     "that ended by the end of that day); @7d (the last one that is at least that old); @TAG; @ID "
     "or the beginning of one; or the path of its directory. Without A, the last two snapshots are "
     "compared. With A alone, its paths are scanned now, with the options of the snapshot, and the "
     "scan is not kept; B can also be `now`. A last word that is not the name of a snapshot is "
     "PATH: only what is in this directory is compared. Snapshots of different paths are "
     "compared where they have paths in common; if they have none, name a PATH that both contain."},
    {"Balance",
     "created + grown - removed - shrunk + moved in - moved out + reattributed is exactly the "
     "change of what du reports. Moved in and out are what crossed the border of PATH. "
     "Reattributed is what is counted at another path now, because the first name of a hard link "
     "came or went."},
    kNamesSection,
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results closed the pipe early"},
    {kIncomplete,
     "one of the scans could not read everything, or the results could not be written"},
    {kWrongUsage,
     "wrong usage, or a snapshot or the FILE of -o cannot be opened; nothing was done"},
    {kInterrupted, "interrupted while scanning; nothing was compared"},
};

}  // namespace

const Manual& diff_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "diff",
      .operands = "[A [B]] [PATH]",
      .purpose = "Shows what changed between two snapshots.",
      .name_line = "show what changed between two snapshots, or since one",
      .in_short = "Shows what grew between two snapshots, or since snapshot A.",
      .introduction =
          "Compares two snapshots that `fathom snapshot` kept, or one and now: by how much each "
          "directory became larger or smaller, and the largest changes, new, removed and moved "
          "entries.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom diff                        the last two snapshots\n"
          "  fathom diff @7d now ~/projects     what changed in a week, in one directory\n"
          "  fathom diff @2026-11-20 @latest --by owner,ext\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

DiffRequest parse_diff(const std::vector<std::string>& arguments) {
  const Manual& manual = diff_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  DiffRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  request.words = found.paths;
  if (request.words.size() > 3) {
    throw UsageError("at most A, B and PATH; remove '" + escaped(request.words[3]) + "'");
  }
  if (request.by.empty()) request.by = {DiffBy::directory};
  check_csv(request, request.format == TableFormat::csv);
  if (request.format == TableFormat::csv && request.by.size() > 1) {
    throw UsageError("option '--format csv' writes one table; name one of them with --by");
  }
  return request;
}

}  // namespace fathom::cli
