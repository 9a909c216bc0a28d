#include "dups/flags.h"

#include "dups/plan_flags.h"
#include "flag/arguments.h"
#include "flag/common_flags.h"
#include "flag/refusal.h"
#include "message.h"
#include "select/select_flags.h"

namespace fathom::cli {

namespace {

DupsFormat parse_format(std::string_view text) {
  if (text == "text") return DupsFormat::text;
  if (text == "json") return DupsFormat::json;
  if (text == "csv") return DupsFormat::csv;
  if (text == "fclones") return DupsFormat::fclones;
  refuse("format", text, "text, json, csv or fclones");
}

constexpr FlagOf<DupsRequest> kFlags[] = {
    {{"format", '\0', "FORMAT",
      "text (default), json, csv, a line for each file, or fclones, the JSON report that fclones "
      "link, remove and dedupe read; with --apply and --undo text or json",
      FlagGroup::output, "text json csv fclones"},
     [](DupsRequest& request, std::string_view argument) {
       request.format = parse_format(argument);
     }},
    kOutputFlag<DupsRequest>,
    {{"summary", '\0', "", "the sums alone (text alone)", FlagGroup::output},
     [](DupsRequest& request, std::string_view) { request.summary = true; }},
    with_help(kTopFlag<DupsRequest>,
              "the N groups that waste most, in every format (default: all; on a terminal 20)"),
    {{"all", '\0', "", "all groups with all their files, even on a terminal", FlagGroup::output},
     [](DupsRequest& request, std::string_view) {
       request.all = true;
       request.top = 0;
     }},
    kSiFlag<DupsRequest>,

    kPlanFlag,
    kActionFlag,
    kKeepFlag,
    kApplyFlag,
    kExecuteFlag,
    kJournalFlag,
    kQuarantineFlag,
    kTrustTimesFlag,
    kUndoFlag,

    {{"min-size", '\0', "SIZE",
      "compare only files of SIZE or more: 4k (4096), 1.5GiB, 2GB (2 times 1000^3)",
      FlagGroup::select},
     [](DupsRequest& request, std::string_view argument) {
       request.min_size = parse_size("min-size", argument);
     }},
    {{"empty", '\0', "", "compare empty files, too: all of them are equal", FlagGroup::select},
     [](DupsRequest& request, std::string_view) { request.empty = true; }},
    with_help(kExtFlag<DupsRequest>,
              "compare only files that have one of these extensions, which is what follows the "
              "last dot: jpg,png; again for more"),
    kExcludeFlag<DupsRequest>,
    kExcludeFromFlag<DupsRequest>,
    kExcludeCachesFlag<DupsRequest>,
    kExcludeKernfsFlag<DupsRequest>,
    kNoHiddenFlag<DupsRequest>,
    with_help(kNewerFlag<DupsRequest>,
              "compare only what was modified at or after WHEN: 12h or 7d ago; 2026-01-31, "
              "2026-01-31T08:00 or 2026-01-31T08:00:00, local time; @1767225600, seconds since "
              "1970"),
    with_help(kOlderFlag<DupsRequest>, "compare only what was modified before WHEN"),

    kOneFileSystemFlag<DupsRequest>,
    kThreadsFlag<DupsRequest>,
    kNiceFlag<DupsRequest>,
    {{"drop-cache", '\0', "",
      "give the memory back in which the system keeps what was read, so that what others read "
      "stays there",
      FlagGroup::scan},
     [](DupsRequest& request, std::string_view) { request.drop_cache = true; }},
    kTraceFlag<DupsRequest>,
    kMemoryFlag<DupsRequest>,
    kThreadStatsFlag<DupsRequest>,

    kPlainFlag<DupsRequest>,
    kProgressFlag<DupsRequest>,
    kColorFlag<DupsRequest>,
    kBacktraceFlag<DupsRequest>,
    kBriefHelpFlag<DupsRequest>,
    kHelpFlag<DupsRequest>,
};

// What flags say together, whatever their order.
void check_together(const DupsRequest& request) {
  check_selection(request.select, false);
  if (request.empty && request.min_size.value_or(0) > 0) {
    throw UsageError("options '--empty' and '--min-size' exclude each other");
  }
  if (request.trace && request.plan.acts()) {
    throw UsageError("option '--trace' is about a search, and '--apply' and '--undo' make none");
  }
  if ((request.memory || request.thread_stats) && request.plan.acts()) {
    throw UsageError(
        "options '--memory' and '--thread-stats' are about a search, and '--apply' and '--undo' "
        "make none");
  }
  if (request.summary && request.format != DupsFormat::text) {
    throw UsageError("option '--summary' is text; every other format has the sums anyway");
  }
}

}  // namespace

const std::vector<Flag>& dups_flags() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  return flags;
}

DupsRequest parse_dups(const std::vector<std::string>& arguments) {
  const Arguments found = split_arguments("dups", dups_flags(), arguments);
  DupsRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_together(request);
  check_plan(request, !found.paths.empty());
  return request;
}

}  // namespace fathom::cli
