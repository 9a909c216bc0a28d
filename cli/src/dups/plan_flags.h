// The flags of `fathom dups` that make a plan, carry it out, and undo that.

#pragma once

#include <string_view>

#include "dups/request.h"
#include "flag/flag.h"

namespace fathom::cli {

// Each puts the argument into the request. Throws UsageError.
void set_plan(DupsRequest& request, std::string_view argument);
void set_action(DupsRequest& request, std::string_view argument);
void set_keep(DupsRequest& request, std::string_view argument);
void set_apply(DupsRequest& request, std::string_view argument);
void set_undo(DupsRequest& request, std::string_view argument);
void set_journal(DupsRequest& request, std::string_view argument);
void set_quarantine(DupsRequest& request, std::string_view argument);

inline constexpr FlagOf<DupsRequest> kPlanFlag = {
    {"plan", '\0', "FILE",
     "write to FILE what would be done about all groups, line by line: delete those of files that "
     "shall stay, and --apply does the rest. Nothing else is changed, and of what was there before "
     "only a plan is overwritten",
     FlagGroup::act},
    set_plan};

inline constexpr FlagOf<DupsRequest> kActionFlag = {
    {"action", '\0', "ACTION",
     "what the plan does with copies: hardlink (default), their names become names of the file "
     "that is kept; reflink, they share its blocks and stay files of their own; remove; "
     "quarantine, they are moved to a folder, from where --undo brings them back",
     FlagGroup::act},
    set_action};

inline constexpr FlagOf<DupsRequest> kKeepFlag = {
    {"keep", '\0', "RULE",
     "which file of a group the plan keeps: first by path (default), oldest, newest, shortest "
     "path, order (below the PATH that was named first), or glob:GLOB, all that the rule matches, "
     "as --exclude's do; groups in which it matches nothing are left alone",
     FlagGroup::act},
    set_keep};

inline constexpr FlagOf<DupsRequest> kApplyFlag = {
    {"apply", '\0', "FILE",
     "say what carrying out the plan in FILE would do, having checked every file anew; with "
     "--execute do it",
     FlagGroup::act},
    set_apply};

inline constexpr FlagOf<DupsRequest> kUndoFlag = {
    {"undo", '\0', "JOURNAL",
     "say what would be moved back from the quarantine, by the journal of the run that moved it; "
     "with --execute do it. Nothing is overwritten",
     FlagGroup::act},
    set_undo};

inline constexpr FlagOf<DupsRequest> kExecuteFlag = {
    {"execute", '\0', "", "with --apply and --undo: do it, instead of saying what would be done",
     FlagGroup::act},
    [](DupsRequest& request, std::string_view) { request.plan.execute = true; }};

inline constexpr FlagOf<DupsRequest> kJournalFlag = {
    {"journal", '\0', "FILE",
     "where --apply notes what it does, so that a run that was interrupted goes on when it is "
     "started again (default: the plan's name with .journal behind it); --plan overwrites no plan "
     "whose run was interrupted and has left something half done",
     FlagGroup::act},
    set_journal};

inline constexpr FlagOf<DupsRequest> kQuarantineFlag = {
    {"quarantine", '\0', "DIR",
     "the folder that a plan of that action moves files to, each to its whole path below DIR; on "
     "the same filesystem",
     FlagGroup::act},
    set_quarantine};

inline constexpr FlagOf<DupsRequest> kTrustTimesFlag = {
    {"trust-times", '\0', "",
     "with --apply: take files whose times are unchanged for unchanged, instead of comparing each "
     "once more, byte by byte, right before it is acted on",
     FlagGroup::act},
    [](DupsRequest& request, std::string_view) { request.plan.trust_times = true; }};

// What these flags say together, and with others. Throws UsageError.
void check_plan(const DupsRequest& request, bool paths_given);

}  // namespace fathom::cli
