// The flags of `fathom dups`: the table, and checks of combinations.

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
      "text (default), json, csv (one line per file) or fclones (the JSON report that fclones "
      "link, remove and dedupe read); with --apply and --undo, text or json",
      FlagGroup::output, "text json csv fclones"},
     [](DupsRequest& request, std::string_view argument) {
       request.format = parse_format(argument);
     }},
    kOutputFlag<DupsRequest>,
    {{"summary", '\0', "", "show only the totals (text format only)", FlagGroup::output},
     [](DupsRequest& request, std::string_view) { request.summary = true; }},
    with_help(
        kTopFlag<DupsRequest>,
        "show the N groups that waste most, in every format (default: all; on a terminal 20)"),
    {{"all", '\0', "", "show all groups with all their files, even on a terminal",
      FlagGroup::output},
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
    {{"empty", '\0', "", "compare empty files too (all are equal)", FlagGroup::select},
     [](DupsRequest& request, std::string_view) { request.empty = true; }},
    with_help(kExtFlag<DupsRequest>,
              "compare only files with one of these extensions (the part after the last dot): "
              "jpg,png; repeatable"),
    kExcludeFlag<DupsRequest>,
    kExcludeFromFlag<DupsRequest>,
    kExcludeCachesFlag<DupsRequest>,
    kExcludeKernfsFlag<DupsRequest>,
    kNoHiddenFlag<DupsRequest>,
    with_help(kNewerFlag<DupsRequest>,
              "compare only files modified at or after WHEN: 12h or 7d (ago); 2026-01-31, "
              "2026-01-31T08:00 or 2026-01-31T08:00:00 (local time); @1767225600 (seconds since "
              "1970)"),
    with_help(kOlderFlag<DupsRequest>, "compare only files modified before WHEN"),

    kOneFileSystemFlag<DupsRequest>,
    kThreadsFlag<DupsRequest>,
    kNiceFlag<DupsRequest>,
    {{"drop-cache", '\0', "",
      "drop read files from the page cache afterwards, so that the files of other programs stay "
      "in it",
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

// Checks combinations of flags, in any order.
void check_together(const DupsRequest& request) {
  check_selection(request.select, false);
  if (request.empty && request.min_size.value_or(0) > 0) {
    throw UsageError("options '--empty' and '--min-size' exclude each other");
  }
  if (request.trace && request.plan.acts()) {
    throw UsageError("option '--trace' applies to a search; '--apply' and '--undo' do not search");
  }
  if ((request.memory || request.thread_stats) && request.plan.acts()) {
    throw UsageError(
        "options '--memory' and '--thread-stats' apply to a search; '--apply' and '--undo' do not "
        "search");
  }
  if (request.summary && request.format != DupsFormat::text) {
    throw UsageError(
        "option '--summary' works only with --format text; the other formats contain the totals");
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
