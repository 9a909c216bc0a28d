// The flags of commands that write a plan for what they list. Request has a member `plan`, an
// ItemPlanRequest.

#pragma once

#include <array>

#include "flags/flag.h"
#include "flags/item_plan_request.h"
#include "flags/values.h"

namespace fathom::cli {

template <class Request>
inline constexpr FlagOf<Request> kItemPlanFlag = {
    {.name = "plan",
     .arg = Arg::file,
     .metavar = "FILE",
     .help =
         "write a plan for what is listed to FILE, one line per item, for `fathom apply`. To "
         "leave something alone, remove its line. What has changed since the scan began is not in "
         "the plan. Nothing is changed yet. An existing FILE is "
         "replaced only with --force",
     .brief = "write a plan for what is listed, for `fathom apply`",
     .group = FlagGroup::act},
    set_file<&Request::plan, &ItemPlanRequest::write>};

template <class Request>
inline constexpr FlagOf<Request> kForcePlanFlag = {
    {.name = "force", .help = "with --plan: replace FILE", .group = FlagGroup::act},
    turn_on<&Request::plan, &ItemPlanRequest::force>};

inline constexpr std::array kItemActions = {
    ChoiceOf<act::Action>{{"quarantine",
                           " (default; to a directory on the same filesystem, from which `fathom "
                           "undo` moves it back)"},
                          act::Action::quarantine},
    ChoiceOf<act::Action>{{"trash", " (to the trash of the desktop)"}, act::Action::trash},
    ChoiceOf<act::Action>{{"delete", " (for good)"}, act::Action::remove},
};

template <class Request>
inline constexpr FlagOf<Request> kItemActionFlag = {
    {.name = "do",
     .arg = Arg::choice,
     .metavar = "ACTION",
     .help = "what the plan does with each item: {}",
     .group = FlagGroup::act,
     .choices = kChoices<kItemActions>},
    choose<kItemActions, &Request::plan, &ItemPlanRequest::action>};

}  // namespace fathom::cli
