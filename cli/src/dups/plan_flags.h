// The flags of `fathom dups` that make, apply and undo a plan.

#pragma once

#include <string_view>

#include "dups/request.h"
#include "flag/flag.h"

namespace fathom::cli {

// Each stores its argument in the request. Throws UsageError.
void set_plan(DupsRequest& request, std::string_view argument);
void set_action(DupsRequest& request, std::string_view argument);
void set_keep(DupsRequest& request, std::string_view argument);
void set_apply(DupsRequest& request, std::string_view argument);
void set_undo(DupsRequest& request, std::string_view argument);
void set_journal(DupsRequest& request, std::string_view argument);
void set_quarantine(DupsRequest& request, std::string_view argument);

inline constexpr FlagOf<DupsRequest> kPlanFlag = {
    {"plan", '\0', "FILE",
     "write a plan to FILE, one line per file. Remove the lines of files you want left alone, then "
     "run --apply. An existing FILE is overwritten only if it is a plan",
     FlagGroup::act},
    set_plan};

inline constexpr FlagOf<DupsRequest> kActionFlag = {
    {"action", '\0', "ACTION",
     "what the plan does with copies: hardlink (default; their names become names of the kept "
     "file), reflink (they share its blocks but stay separate files), remove, or quarantine (they "
     "are moved to a directory, from which --undo moves them back)",
     FlagGroup::act},
    set_action};

inline constexpr FlagOf<DupsRequest> kKeepFlag = {
    {"keep", '\0', "RULE",
     "which file of a group the plan keeps: first by path (default), oldest, newest, shortest "
     "path, order (below the PATH given first), or glob:GLOB (every file that matches, as in "
     "--exclude; groups without a match are left alone)",
     FlagGroup::act},
    set_keep};

inline constexpr FlagOf<DupsRequest> kApplyFlag = {
    {"apply", '\0', "FILE",
     "check every file again, and show what carrying out the plan in FILE would do; with "
     "--execute, do it",
     FlagGroup::act},
    set_apply};

inline constexpr FlagOf<DupsRequest> kUndoFlag = {
    {"undo", '\0', "JOURNAL",
     "show what would be moved back from the quarantine, according to the journal of the run that "
     "moved it; with --execute, do it. Nothing is overwritten",
     FlagGroup::act},
    set_undo};

inline constexpr FlagOf<DupsRequest> kExecuteFlag = {
    {"execute", '\0', "", "with --apply and --undo: do it, instead of a dry run", FlagGroup::act},
    [](DupsRequest& request, std::string_view) { request.plan.execute = true; }};

inline constexpr FlagOf<DupsRequest> kJournalFlag = {
    {"journal", '\0', "FILE",
     "where --apply records what it does, so that an interrupted run continues when it is started "
     "again (default: the name of the plan plus .journal); --plan does not overwrite a plan whose "
     "interrupted run left an act unfinished",
     FlagGroup::act},
    set_journal};

inline constexpr FlagOf<DupsRequest> kQuarantineFlag = {
    {"quarantine", '\0', "DIR",
     "the directory to which a plan with that action moves files, each to its full path below DIR; "
     "it must be on the same filesystem",
     FlagGroup::act},
    set_quarantine};

inline constexpr FlagOf<DupsRequest> kTrustTimesFlag = {
    {"trust-times", '\0', "",
     "with --apply: treat files with unchanged times as unchanged, instead of comparing each byte "
     "by byte again right before acting on it",
     FlagGroup::act},
    [](DupsRequest& request, std::string_view) { request.plan.trust_times = true; }};

// Checks combinations of these flags with each other and with other flags. Throws UsageError.
void check_plan(const DupsRequest& request, bool paths_given);

}  // namespace fathom::cli
