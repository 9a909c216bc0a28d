// The flags of `fathom dups` that make, apply and undo a plan.

#pragma once

#include <array>

#include "flags/dups_request.h"
#include "flags/flag.h"
#include "flags/values.h"

namespace fathom::cli {

inline constexpr FlagOf<DupsRequest> kPlanFlag = {
    {.name = "plan",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "write a plan for the duplicates in PATH to FILE, one line per file. Remove the lines "
             "of files you want left alone, then run --apply. Files that --apply could not handle "
             "are skipped, with the reason. An existing FILE is replaced only with --force",
     .group = FlagGroup::act},
    set_file<&DupsRequest::plan, &PlanRequest::write>};

inline constexpr FlagOf<DupsRequest> kForceFlag = {
    {.name = "force",
     .help = "with --plan: replace FILE, whatever it contains, unless it is the plan of an "
             "interrupted run",
     .group = FlagGroup::act},
    turn_on<&DupsRequest::plan, &PlanRequest::force>};

inline constexpr std::array kActions = {
    ChoiceOf<act::DupAction>{{"hardlink", " (default; their names become names of the kept file)"},
                             act::DupAction::hardlink},
    ChoiceOf<act::DupAction>{{"reflink", " (they share its blocks but stay separate files)"},
                             act::DupAction::reflink},
    ChoiceOf<act::DupAction>{{"remove"}, act::DupAction::remove},
    ChoiceOf<act::DupAction>{
        {"quarantine", " (they are moved to a directory, from which --undo moves them back)"},
        act::DupAction::quarantine},
};

inline constexpr FlagOf<DupsRequest> kActionFlag = {
    {.name = "action",
     .arg = Arg::choice,
     .metavar = "ACTION",
     .help = "what the plan does with copies: {}",
     .group = FlagGroup::act,
     .choices = kChoices<kActions>},
    choose<kActions, &DupsRequest::plan, &PlanRequest::action>};

inline constexpr Choice kKeepRules[] = {
    {"first", " by path (default)"},
    {"oldest"},
    {"newest"},
    {"shortest", " path"},
    {"order", " (prefer files under the first PATH)"},
    {"glob:",
     "GLOB (every file that matches, as in --exclude; groups without a match are left alone)"},
};

inline constexpr FlagOf<DupsRequest> kKeepFlag = {
    {.name = "keep",
     .arg = Arg::text,
     .metavar = "RULE",
     .help = "which file of a group the plan keeps: {}",
     .group = FlagGroup::act,
     .choices = kKeepRules,
     .takes = "first, oldest, newest, shortest, order or glob:GLOB"},
    [](DupsRequest& request, const Flag& flag, std::string_view argument) {
      request.plan.keep = act::parse_keep_rule(argument);
      if (!request.plan.keep) refuse(flag, argument);
    }};

inline constexpr FlagOf<DupsRequest> kApplyFlag = {
    {.name = "apply",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "check every file again, and show what carrying out the plan in FILE would do; with "
             "--execute, do it",
     .group = FlagGroup::act,
     .takes = "the file name of a plan"},
    set_file<&DupsRequest::plan, &PlanRequest::apply>};

inline constexpr FlagOf<DupsRequest> kUndoFlag = {
    {.name = "undo",
     .arg = Arg::file,
     .metavar = "JOURNAL",
     .help = "show what would be moved back from the quarantine, according to the journal of the "
             "run that moved it; with --execute, do it. Nothing is overwritten",
     .group = FlagGroup::act,
     .takes = "the file name of a journal"},
    set_file<&DupsRequest::plan, &PlanRequest::undo>};

inline constexpr FlagOf<DupsRequest> kExecuteFlag = {
    {.name = "execute",
     .help = "with --apply and --undo: do it, instead of a dry run",
     .group = FlagGroup::act},
    turn_on<&DupsRequest::plan, &PlanRequest::execute>};

inline constexpr FlagOf<DupsRequest> kJournalFlag = {
    {.name = "journal",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "where --apply records what it does, so that an interrupted run continues when it is "
             "started again (default: the name of the plan plus .journal); --plan does not "
             "replace the plan of an interrupted run",
     .group = FlagGroup::act},
    set_file<&DupsRequest::plan, &PlanRequest::journal>};

inline constexpr FlagOf<DupsRequest> kQuarantineFlag = {
    {.name = "quarantine",
     .arg = Arg::directory,
     .metavar = "DIR",
     .help = "the directory to which a plan with --action quarantine moves files, each to its full "
             "path below DIR; it must be on the same filesystem. With --plan it is written to the "
             "plan; otherwise --apply needs it. One that contradicts the plan is refused",
     .group = FlagGroup::act},
    set_file<&DupsRequest::plan, &PlanRequest::quarantine>};

inline constexpr FlagOf<DupsRequest> kTrustTimesFlag = {
    {.name = "trust-times",
     .help = "with --apply: treat files with unchanged times as unchanged, instead of comparing "
             "each byte by byte again right before acting on it",
     .group = FlagGroup::act},
    turn_on<&DupsRequest::plan, &PlanRequest::trust_times>};

// Checks combinations of these flags with each other and with other flags. Throws UsageError.
void check_plan(const DupsRequest& request, bool paths_given);

}  // namespace fathom::cli
