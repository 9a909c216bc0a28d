// The flags and the manual of `fathom clean`.

#include "flags/clean_flags.h"

#include <array>
#include <string_view>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/item_plan_flags.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = CleanRequest;

// ---- The flags

constexpr std::array kClasses = {
    ChoiceOf<act::RuleClass>{{"safe"}, act::RuleClass::safe},
    ChoiceOf<act::RuleClass>{{"probably"}, act::RuleClass::probably},
    ChoiceOf<act::RuleClass>{{"yours"}, act::RuleClass::yours},
    ChoiceOf<act::RuleClass>{{"tool"}, act::RuleClass::tool},
};

// Calls function(item) for each item of a comma-separated list.
template <class Function>
void for_each_item(std::string_view list, Function&& function) {
  for (;;) {
    const std::size_t comma = list.find(',');
    function(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

constexpr FlagOf<Request> kClassFlag = {
    {.name = "class",
     .arg = Arg::text,
     .metavar = "CLASSES",
     .help = "list only these classes, separated by commas: safe, probably, yours, tool (default: "
             "all but yours)",
     .brief = "list only these classes: safe,probably",
     .group = FlagGroup::select,
     .common = true,
     .choices = kChoices<kClasses>,
     .takes = "a comma-separated list of safe, probably, yours and tool"},
    [](Request& request, const Flag& flag, std::string_view list) {
      for_each_item(list, [&](std::string_view item) {
        const auto cls = act::rule_class_named(item);
        if (!cls) refuse(flag, list);
        request.classes.insert(*cls);
      });
    }};

constexpr FlagOf<Request> kRuleFlag = {
    {.name = "rule",
     .arg = Arg::text,
     .metavar = "IDS",
     .help = "list only what these rules choose, separated by commas, as --list-rules calls them; "
             "repeatable",
     .brief = "list only what these rules choose",
     .group = FlagGroup::select,
     .common = true,
     .takes = "a comma-separated list of rules such as cargo-target,node-modules"},
    [](Request& request, const Flag& flag, std::string_view list) {
      for_each_item(list, [&](std::string_view item) {
        if (item.empty()) refuse(flag, list);
        request.rules.emplace(item);
      });
    }};

constexpr FlagOf<Request> kNeedFlag = {
    {.name = "need",
     .arg = Arg::size,
     .metavar = "SIZE",
     .help =
         "list only as much as frees SIZE, once the quarantine is emptied: the safest first, then "
         "what was not changed for longest, then the largest",
     .brief = "list only as much as frees SIZE: 20G",
     .group = FlagGroup::select,
     .common = true},
    set_size<&Request::need>};

constexpr FlagOf<Request> kRulesFlag = {{.name = "rules",
                                         .arg = Arg::directory,
                                         .metavar = "DIR",
                                         .help = "also use the rules in the files *.toml of DIR",
                                         .group = FlagGroup::select},
                                        set_file<&Request::rules_directory>};

constexpr FlagOf<Request> kListRulesFlag = {{.name = "list-rules",
                                             .help = "list the rules, and do nothing else",
                                             .group = FlagGroup::output},
                                            turn_on<&Request::list_rules>};

constexpr FlagOf<Request> kWhyFlag = {
    {.name = "why",
     .arg = Arg::file,
     .metavar = "ENTRY",
     .help = "explain why the file or directory ENTRY is listed or is not: each condition of the "
             "rules that are about it, and whether it holds",
     .brief = "explain why ENTRY is listed or is not",
     .group = FlagGroup::output,
     .common = true},
    set_file<&Request::why>};

constexpr FlagOf<Request> kQuarantineFlag = {
    {.name = "quarantine",
     .arg = Arg::directory,
     .metavar = "DIR",
     .help = "with --plan: move everything to DIR, also what is of class safe, each item to its "
             "full path below DIR; it must be on the same filesystem",
     .group = FlagGroup::act},
    set_file<&Request::quarantine>};

constexpr FlagOf<Request> kPurgeFlag = {
    {.name = "purge",
     .help = "instead of listing: show your quarantines, from which `fathom undo` moves things "
             "back, and with --execute, empty them; with PATH, those in it and below; --older 7d "
             "keeps those of later runs",
     .brief = "show quarantines; with --execute, empty them",
     .group = FlagGroup::act,
     .common = true},
    turn_on<&Request::purge>};

constexpr FlagOf<Request> kExecuteFlag = {{.name = "execute",
                                           .help = "with --purge: do it, instead of a dry run",
                                           .group = FlagGroup::act},
                                          turn_on<&Request::execute>};

constexpr std::array kFlags = {
    kWhyFlag,
    kListRulesFlag,
    kTableFormatFlag<Request>,
    kOutputFlag<Request>,
    kCsvSafeFlag<Request>,
    with_help(kTopFlag<Request>, "show at most N items in text (default: 10)"),
    kSiFlag<Request>,

    with_help(kItemPlanFlag<Request>,
              "write a plan for what is listed to FILE, one line per item, for `fathom apply`. It "
              "deletes items of class safe, moves others to a quarantine, and leaves out those of "
              "class tool. To leave something alone, remove its line. Nothing is changed yet. An "
              "existing FILE is replaced only with --force",
              "write a plan for what is listed, for `fathom apply`"),
    kQuarantineFlag,
    kForcePlanFlag<Request>,
    kPurgeFlag,
    kExecuteFlag,

    kClassFlag,
    kRuleFlag,
    kNeedFlag,
    with_help(kOlderFlag<Request>,
              "list only what has not been modified since WHEN, directories with everything in "
              "them: 90d (ago), 2026-01-31",
              "list only what has not been modified since WHEN"),
    with_help(kMinSizeFlag<Request>,
              "list only what takes SIZE or more on disk, directories with everything in them: "
              "100M, 1.5GiB",
              "list only what takes SIZE or more"),
    with_help(kWhereFlag<Request>,
              "list only what satisfies EXPR, as in SQL: \"class = safe and age > 30d and not path "
              "~ '/srv/keep/**'\"; see Conditions"),
    kRulesFlag,
    with_help(kExcludeFlag<Request>,
              "leave out what matches GLOB, as in .gitignore: *.o, build/ (directories only), /tmp "
              "(directly in the PATH); what contains it is not listed either; repeatable"),
    kExcludeFromFlag<Request>,

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

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Output"}, {FlagGroup::act, "Plan"},        {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},     {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Classes",
     "safe: a command that the rule names makes it again. probably: nobody is likely to miss it. "
     "yours: it may be somebody's work or choice. tool: only the program that owns it removes it; "
     "its command is shown. A rule needs evidence in the directory or beside it; no name and no "
     ".gitignore makes anything safe. What was changed in the last 7 days, what git tracks, what "
     ".gitignore marks with $ as precious, and what belongs to another user is less safe than its "
     "rule says. What a process has open, and what is never touched, is not listed."},
    kConditionsSection,
    kNamesSection,
};

constexpr ExitMeaning kExits[] = {
    {kComplete,
     "complete, even if nothing is listed; or the reader of the results closed the pipe early"},
    {kIncomplete, "something could not be read, is not in the plan, or could not be written"},
    {kWrongUsage,
     "wrong usage, or no PATH exists, or a rule of --rules is not valid, or a FILE of -o or "
     "--exclude-from cannot be opened; nothing was done"},
    {kInterrupted,
     "interrupted by Ctrl-C, SIGTERM or SIGHUP; nothing is listed. --purge --execute finishes the "
     "quarantine that it has begun; a second interrupt ends the program immediately"},
};

void check_clean(const CleanRequest& request) {
  check_csv(request, request.format == TableFormat::csv);
  if (request.execute && !request.purge)
    throw UsageError(
        "option '--execute' needs '--purge'; to remove items, write a plan by '--plan FILE', then "
        "`fathom apply FILE --execute`");
  if (request.quarantine && !request.plan.write) {
    throw UsageError("option '--quarantine' needs '--plan'");
  }
  if (request.plan.write && (request.purge || request.why || request.list_rules)) {
    throw UsageError("option '--plan' excludes '--purge', '--why' and '--list-rules'");
  }
  if (request.purge && request.format != TableFormat::text) {
    throw UsageError("option '--purge' works only with --format text");
  }
  if (request.why && request.list_rules) {
    throw UsageError("options '--why' and '--list-rules' exclude each other");
  }
  if (request.why && request.format != TableFormat::text) {
    throw UsageError("option '--why' works only with --format text");
  }
}

// What is emptied cannot be taken back, so an option that would be ignored is refused.
void check_purge(const Manual& manual, const Arguments& given) {
  for (const Arguments::Given& one : given.flags) {
    const Flag& flag = manual.flags[one.flag];
    const bool chooses = flag.group == FlagGroup::select || flag.group == FlagGroup::scan;
    if ((!chooses || flag.name == "older") && flag.name != "top") continue;
    throw UsageError("option '--purge' excludes '--" + std::string(flag.name) +
                     "'; PATHs and --older choose the quarantines");
  }
}

}  // namespace

const Manual& clean_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "clean",
      .purpose = "Lists what may be cleaned up.",
      .name_line = "list what may be cleaned up, with the reasons",
      .in_short = "Lists what may be cleaned up in each PATH, and how safe that is.",
      .introduction =
          "Looks in each PATH (default: the current directory) for build directories, caches, logs "
          "and other things that programs left behind, and lists them by class and rule with what "
          "removing them would free. A PATH itself is never listed. Listing removes nothing: "
          "--plan writes a plan, which `fathom apply` carries out and `fathom undo` takes back; "
          "only "
          "--purge --execute deletes, and only what is in quarantines.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom clean ~\n"
          "  fathom clean ~ --class safe --older 90d\n"
          "  fathom clean / --need 20G --plan plan\n"
          "  fathom apply plan --execute\n"
          "  fathom clean --purge --older 7d --execute\n"
          "  fathom clean --why target\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

CleanRequest parse_clean(const std::vector<std::string>& arguments) {
  const Manual& manual = clean_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  CleanRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_clean(request);
  if (request.purge) check_purge(manual, found);
  if (request.purge && found.paths.empty()) request.paths = {"/"};
  // An explanation needs only the directory of the entry, unless a PATH is given.
  if (request.why && found.paths.empty()) {
    std::string entry = *request.why;
    while (entry.size() > 1 && entry.ends_with('/')) entry.pop_back();
    const std::size_t slash = entry.rfind('/');
    request.paths = {slash == std::string::npos ? "." : entry.substr(0, slash + 1)};
  }
  return request;
}

}  // namespace fathom::cli
