// The flags and the manual of `fathom log`.

#include "flags/log_flags.h"

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = LogRequest;

// ---- The flags

constexpr std::array kFlags = {
    kStoreFlag<Request>,
    kTableFormatFlag<Request>,
    kOutputFlag<Request>,
    kCsvSafeFlag<Request>,
    with_help(kTopFlag<Request>, "show the N latest snapshots", "show the N latest snapshots"),
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
    {"Columns",
     "Id: the beginning of the snapshot's id, by which @ID names it. Time: when its scan ended. "
     "Disk usage: what its paths took on the disk. Change: since the snapshot before, of the same "
     "host, paths and selection."},
    kNamesSection,
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "complete, or the reader of the results closed the pipe early"},
    {kIncomplete, "a snapshot could not be read, or the results could not be written"},
    {kWrongUsage, "wrong usage, or the store or the FILE of -o cannot be opened"},
    {kInterrupted, "interrupted by Ctrl-C, SIGTERM or SIGHUP"},
};

}  // namespace

const Manual& log_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "log",
      .operands = "[PATH]",
      .purpose = "Lists the snapshots that were kept.",
      .name_line = "list snapshots, and what changed from one to the next",
      .in_short = "Lists snapshots, the latest first, with the change since the one before.",
      .introduction =
          "Lists the snapshots of a store, the latest first, with their entries, bytes, and the "
          "change since the snapshot before; with PATH, those of every host that contain it. Only "
          "their "
          "summaries are read. `fathom snapshot` keeps snapshots.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom log\n"
          "  fathom log /srv --top 10\n"
          "  fathom log --format json | jq '.snapshots[0].id'\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

LogRequest parse_log(const std::vector<std::string>& arguments) {
  const Manual& manual = log_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  LogRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  if (found.paths.size() > 1) {
    throw UsageError("at most one PATH; remove '" + escaped(found.paths[1]) + "'");
  }
  if (!found.paths.empty()) request.path = found.paths.front();
  check_csv(request, request.format == TableFormat::csv);
  return request;
}

}  // namespace fathom::cli
