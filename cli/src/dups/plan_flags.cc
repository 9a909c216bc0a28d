// The flags for plans: parsing their arguments, and checks of combinations.

#include "dups/plan_flags.h"

#include <string>

#include "flag/refusal.h"
#include "message.h"

namespace fathom::cli {

namespace {

std::string file_name(std::string_view flag, std::string_view argument, std::string_view want) {
  if (argument.empty() || argument == "-") refuse(flag, argument, want);
  return std::string(argument);
}

[[noreturn]] void refuse_pair(const std::string& one, const std::string& other) {
  throw UsageError("options '--" + one + "' and '--" + other + "' exclude each other");
}

[[noreturn]] void refuse_without(const std::string& flag, const std::string& needed) {
  throw UsageError("option '--" + flag + "' needs " + needed);
}

}  // namespace

void set_plan(DupsRequest& request, std::string_view argument) {
  request.plan.write = file_name("plan", argument, "a file name");
}

void set_action(DupsRequest& request, std::string_view argument) {
  request.plan.action = fs::parse_dup_action(argument);
  if (!request.plan.action) {
    refuse("action", argument, "hardlink, reflink, remove or quarantine");
  }
}

void set_keep(DupsRequest& request, std::string_view argument) {
  request.plan.keep = fs::parse_keep_rule(argument);
  if (!request.plan.keep) {
    refuse("keep", argument, "first, oldest, newest, shortest, order or glob:GLOB");
  }
}

void set_apply(DupsRequest& request, std::string_view argument) {
  request.plan.apply = file_name("apply", argument, "the file name of a plan");
}

void set_undo(DupsRequest& request, std::string_view argument) {
  request.plan.undo = file_name("undo", argument, "the file name of a journal");
}

void set_journal(DupsRequest& request, std::string_view argument) {
  request.plan.journal = file_name("journal", argument, "a file name");
}

void set_quarantine(DupsRequest& request, std::string_view argument) {
  request.plan.quarantine = file_name("quarantine", argument, "the name of a directory");
}

void check_plan(const DupsRequest& request, bool paths_given) {
  const PlanRequest& plan = request.plan;
  if (plan.write && plan.apply) refuse_pair("plan", "apply");
  if (plan.write && plan.undo) refuse_pair("plan", "undo");
  if (plan.apply && plan.undo) refuse_pair("apply", "undo");
  if (plan.action && !plan.write) refuse_without("action", "'--plan'");
  if (plan.keep && !plan.write) refuse_without("keep", "'--plan'");
  if (plan.execute && !plan.acts()) refuse_without("execute", "'--apply' or '--undo'");
  if (plan.journal && !plan.apply && !plan.write)
    refuse_without("journal", "'--apply' or '--plan'");
  if (plan.quarantine && !plan.apply) refuse_without("quarantine", "'--apply'");
  if (plan.trust_times && !plan.apply) refuse_without("trust-times", "'--apply'");
  if (!plan.acts()) return;
  const std::string act = plan.apply ? "--apply" : "--undo";
  if (paths_given) throw UsageError("option '" + act + "' takes no PATH: the plan names the files");
  if (request.format != DupsFormat::text && request.format != DupsFormat::json) {
    throw UsageError("option '" + act + "' works only with --format text or json");
  }
}

}  // namespace fathom::cli
