// The flags and the manual of `fathom threads`.

#include "flags/threads_flags.h"

#include <algorithm>
#include <array>

#include "fathom/base/moment.h"
#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = ThreadsRequest;

// ---- The flags

constexpr std::array kFormats = {
    ChoiceOf<TableFormat>{{"text", " (default)"}, TableFormat::text},
    ChoiceOf<TableFormat>{{"json", " (also every thread and every sample)"}, TableFormat::json},
    ChoiceOf<TableFormat>{{"csv"}, TableFormat::csv},
};

constexpr FlagOf<Request> kFormatFlag = {{.name = "format",
                                          .arg = Arg::choice,
                                          .metavar = "FORMAT",
                                          .help = "write {}",
                                          .group = FlagGroup::output,
                                          .common = true,
                                          .choices = kChoices<kFormats>},
                                         choose<kFormats, &Request::format>};

constexpr std::array kBys = {
    ChoiceOf<ThreadsBy>{{"family", " (default; names that differ only in a number at their end)"},
                        ThreadsBy::family},
    ChoiceOf<ThreadsBy>{{"name"}, ThreadsBy::name},
    ChoiceOf<ThreadsBy>{{"thread"}, ThreadsBy::thread},
};

constexpr FlagOf<Request> kByFlag = {{.name = "by",
                                      .arg = Arg::choice,
                                      .metavar = "WHAT",
                                      .help = "show a row for each {}",
                                      .brief = "a row for each family (of names), name or thread",
                                      .group = FlagGroup::output,
                                      .common = true,
                                      .choices = kChoices<kBys>},
                                     choose<kBys, &Request::by>};

constexpr FlagOf<Request> kSlicesFlag = {
    {.name = "slices",
     .arg = Arg::number,
     .metavar = "N",
     .help = "also show each of N equal parts of the time, to the nearest sample before its end",
     .brief = "also show each of N equal parts of the time",
     .group = FlagGroup::output,
     .common = true,
     .range = {2, 1000}},
    set_number<&Request::slices>};

constexpr std::array kOrders = {
    ChoiceOf<ThreadsOrder>{{"processor", " (default)"}, ThreadsOrder::processor},
    ChoiceOf<ThreadsOrder>{{"kept-waiting"}, ThreadsOrder::kept_waiting},
    ChoiceOf<ThreadsOrder>{{"asleep"}, ThreadsOrder::asleep},
    ChoiceOf<ThreadsOrder>{{"waits"}, ThreadsOrder::waits},
    ChoiceOf<ThreadsOrder>{{"preempted"}, ThreadsOrder::preempted},
    ChoiceOf<ThreadsOrder>{{"migrations"}, ThreadsOrder::migrations},
    ChoiceOf<ThreadsOrder>{{"name"}, ThreadsOrder::name},
};

constexpr FlagOf<Request> kSortFlag = {{.name = "sort",
                                        .arg = Arg::choice,
                                        .metavar = "ORDER",
                                        .help = "sort rows by {}, the largest first",
                                        .brief = "sort rows by processor, waits, name, ...",
                                        .group = FlagGroup::output,
                                        .common = true,
                                        .choices = kChoices<kOrders>},
                                       choose<kOrders, &Request::order>};

constexpr FlagOf<Request> kPidFlag = {
    {.name = "pid",
     .arg = Arg::number,
     .metavar = "ID",
     .help = "record the running process ID, from now until it ends, instead of running CMD; "
             "Ctrl-C ends the recording, not the process",
     .brief = "record the running process ID instead of running CMD",
     .group = FlagGroup::scan,
     .common = true,
     .range = {1, 1U << 22U}},
    set_number<&Request::process>};

constexpr FlagOf<Request> kForFlag = {
    {.name = "for",
     .arg = Arg::text,
     .metavar = "TIME",
     .help = "with --pid, record for at most TIME, such as 10s or 5m",
     .group = FlagGroup::scan,
     .takes = "a number and a unit (s, m, h, d or w) such as 90s or 2w, up to 366000d"},
    [](Request& request, const Flag& flag, std::string_view argument) {
      const auto time = base::parse_age(argument);
      if (!time) refuse(flag, argument);
      request.longest = *time;
    }};

constexpr FlagOf<Request> kIntervalFlag = {
    {.name = "interval",
     .arg = Arg::number,
     .metavar = "N",
     .help = "sample all threads every N ms (default: 100), or less often if this would take more "
             "than 5% of a processor",
     .brief = "sample all threads every N ms",
     .group = FlagGroup::scan,
     .common = true,
     .range = {1, 60'000}},
    set_number<&Request::interval>};

constexpr FlagOf<Request> kNoChildrenFlag = {
    {.name = "no-children",
     .help = "only sample the process itself, not those that it starts; the row (rest) still "
             "includes them",
     .group = FlagGroup::scan},
    turn_off<&Request::children>};

constexpr std::array kSources = {
    ChoiceOf<diag::SwitchSource>{{"auto", " (default: where the kernel allows it)"},
                                 diag::SwitchSource::automatic},
    ChoiceOf<diag::SwitchSource>{{"always", " (or else CMD is not run)"},
                                 diag::SwitchSource::records},
    ChoiceOf<diag::SwitchSource>{{"never"}, diag::SwitchSource::none},
};

constexpr FlagOf<Request> kRecordsFlag = {
    {.name = "records",
     .arg = Arg::choice,
     .metavar = "WHEN",
     .help = "besides sampling, read the kernel's record of each context switch: {}",
     .group = FlagGroup::scan,
     .choices = kChoices<kSources>},
    choose<kSources, &Request::source>};

constexpr FlagOf<Request> in_output_group(FlagOf<Request> flag) {
  flag.flag.group = FlagGroup::output;
  return flag;
}

constexpr std::array kFlags = {
    kFormatFlag,
    with_help(kOutputFlag<Request>,
              "write the report to FILE, atomically, instead of standard error; - is standard "
              "output",
              "write the report to FILE"),
    kCsvSafeFlag<Request>,
    kByFlag,
    kSlicesFlag,
    kSortFlag,
    with_help(kTopFlag<Request>, "show at most N rows", "show at most N rows"),
    in_output_group(with_help(
        kTraceFlag<Request>,
        "write a timeline of all threads to FILE, for ui.perfetto.dev or chrome://tracing; at most "
        "64 MiB",
        "write a timeline for ui.perfetto.dev to FILE")),

    kIntervalFlag,
    kNoChildrenFlag,
    kRecordsFlag,
    kPidFlag,
    kForFlag,

    kPlainFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

void check_together(const Request& request) {
  check_csv(request, request.format == TableFormat::csv);
  if (request.process && !request.command.empty()) {
    throw UsageError("option '--pid' replaces the command; remove '" +
                     escaped(request.command.front()) + "'");
  }
  if (!request.process && request.command.empty()) {
    throw UsageError("no command to run: fathom threads -- CMD [ARG...]");
  }
  if (request.longest && !request.process) {
    throw UsageError(
        "option '--for' works only with '--pid'; to limit a command, run it with "
        "timeout(1)");
  }
  if (request.process && request.source == diag::SwitchSource::records) {
    throw UsageError(
        "options '--pid' and '--records always' exclude each other: a running process "
        "is only sampled");
  }
  if (request.format == TableFormat::json && request.slices > 0) {
    throw UsageError("option '--slices' does not apply to --format json, which has every sample");
  }
}

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"},
    {FlagGroup::scan, "Record"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Columns",
     "processor: CPU time, of which user and system are parts. kept waiting: ready to run, but no "
     "processor was free. asleep: the rest of its life, in which it waited for a lock, a disk, a "
     "message or a time. waits: context switches because it fell asleep (voluntary). preempted: "
     "context switches because another thread got the processor (involuntary). migrations: how "
     "often it continued on another processor."},
    {"Accuracy",
     "The row (all) is what the kernel charged to CMD and to all processes for which it or this "
     "command waited: it does not depend on samples. The row (rest) is the difference between "
     "it and the rows above: threads that no sample saw, and what others did after their last "
     "sample. With the kernel's records (kernel.perf_event_paranoid up to 2, or root), CPU "
     "time, switches and migrations of every thread are complete, and nearly nothing is left. "
     "user, system, kept waiting and asleep come from samples, user and system in steps of 10 ms "
     "per thread."},
    kNamesSection,
};

constexpr ExitMeaning kExits[] = {
    {kComplete,
     "CMD ended with 0. Any other exit code of CMD is returned as well; if a signal ended it, 128 "
     "plus the number of the signal. With --pid: the recording has ended"},
    {kIncomplete, "the report or the trace could not be written (if CMD ended with 0)"},
    {kWrongUsage, "wrong usage, or a FILE or process ID is not available; CMD was not run"},
    {kCannotRun, "CMD cannot be run"},
    {kNotFound, "CMD was not found"},
};

}  // namespace

const Manual& threads_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "threads",
      .operands = "-- CMD [ARG...]",
      .purpose = "Shows what the threads of a program do.",
      .name_line = "show context switches, CPU time and waits of a program's threads",
      .in_short = "Runs CMD, and reports context switches, CPU time and waits of its threads.",
      .introduction =
          "Runs CMD with its arguments, and reports, for each thread name, how much CPU time "
          "they used, how often and how long they waited, and how often they were preempted and "
          "moved to another processor. Processes that CMD starts are included. CMD is not changed, "
          "keeps its standard streams, and receives signals such as Ctrl-C; the report follows "
          "its end, on standard error. Root is not needed.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom threads -- make -j4\n"
          "  fathom threads --by thread --sort waits -- ./server\n"
          "  fathom threads --trace trace.json -o report.txt -- ./server\n"
          "  fathom threads --pid 1234 --for 10s\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

ThreadsRequest parse_threads(const std::vector<std::string>& arguments) {
  const Manual& manual = threads_manual();
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments found = split_arguments(manual.command, manual.flags, {arguments.begin(), end});
  ThreadsRequest request;
  apply_flags(request, kFlags, found);
  if (request.help != Help::none) return request;
  if (!found.paths.empty()) {
    throw UsageError("the command goes after '--': fathom threads -- " +
                     escaped(found.paths.front()));
  }
  if (end != arguments.end()) request.command.assign(end + 1, arguments.end());
  check_together(request);
  return request;
}

}  // namespace fathom::cli
