// The flags for plans: checks of combinations.

#include "flags/dups_plan_flags.h"

#include <string>

#include "term/message.h"

namespace fathom::cli {

namespace {

[[noreturn]] void refuse_pair(const std::string& one, const std::string& other) {
  throw UsageError("options '--" + one + "' and '--" + other + "' exclude each other");
}

[[noreturn]] void refuse_without(const std::string& flag, const std::string& needed) {
  throw UsageError("option '--" + flag + "' needs " + needed);
}

}  // namespace

void check_plan(const DupsRequest& request, bool paths_given) {
  const PlanRequest& plan = request.plan;
  if (plan.write && plan.apply) refuse_pair("plan", "apply");
  if (plan.write && plan.undo) refuse_pair("plan", "undo");
  if (plan.apply && plan.undo) refuse_pair("apply", "undo");
  if (plan.write && !paths_given && !request.from) {
    throw UsageError("option '--plan' needs a PATH; . is the current directory");
  }
  if (plan.force && !plan.write) refuse_without("force", "'--plan'");
  if (plan.action && !plan.write) refuse_without("action", "'--plan'");
  if (plan.keep && !plan.write) refuse_without("keep", "'--plan'");
  if (plan.execute && !plan.acts()) refuse_without("execute", "'--apply' or '--undo'");
  if (plan.journal && !plan.apply && !plan.write)
    refuse_without("journal", "'--apply' or '--plan'");
  if (plan.quarantine && !plan.apply && !plan.write) {
    refuse_without("quarantine", "'--apply' or '--plan'");
  }
  if (plan.quarantine && plan.write && plan.action != act::DupAction::quarantine) {
    refuse_without("quarantine", "'--action quarantine'");
  }
  if (plan.trust_times && !plan.apply) refuse_without("trust-times", "'--apply'");
  if (!plan.acts()) return;
  const std::string act = plan.apply ? "--apply" : "--undo";
  if (paths_given) throw UsageError("option '" + act + "' takes no PATH: the plan names the files");
  if (request.format != DupsFormat::text && request.format != DupsFormat::json) {
    throw UsageError("option '" + act + "' works only with --format text or json");
  }
}

}  // namespace fathom::cli
