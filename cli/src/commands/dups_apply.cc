// `fathom dups --apply` and `--undo`: reads the plan or journal, and runs it.

#include "commands/dups_apply.h"

#include <memory>
#include <string>

#include "fathom/act/dup_apply.h"
#include "fathom/act/dup_plan.h"
#include "fathom/base/error.h"
#include "run/named_file.h"
#include "run/output.h"
#include "run/plan_file.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/terminal.h"
#include "view/apply_view.h"

namespace fathom::cli {

namespace {

// Checks the quarantine before anything is done: it comes from the plan or from the option.
void check_quarantine(const PlanRequest& asked, const act::DupPlan& plan,
                      const std::string& quarantine) {
  const std::string name = escaped(*asked.apply);
  if (plan.action != act::DupAction::quarantine) {
    if (quarantine.empty()) return;
    throw UsageError("option '--quarantine' needs a plan with '--action quarantine'; that of " +
                     name + " is " + std::string(to_string(plan.action)));
  }
  if (plan.quarantine.empty() && quarantine.empty()) {
    throw UsageError(name + ": this plan needs --quarantine DIR");
  }
  if (plan.quarantine.empty() || quarantine.empty() || plan.quarantine == quarantine) return;
  throw UsageError(name + " moves files to " + escaped(plan.quarantine) + ", not to " +
                   escaped(quarantine) + "; omit --quarantine, or make a plan with that directory");
}

std::unique_ptr<ApplyView> view_of(const DupsRequest& request, Output& output) {
  if (request.format == DupsFormat::json) {
    return std::make_unique<ApplyJson>(output, !request.plan.execute);
  }
  const Terminal terminal = terminal_of(output.descriptor(), request.color);
  return std::make_unique<ApplyText>(output, request.units, terminal.unicode, request.plan.execute,
                                     request.plan.undo.has_value());
}

act::Applied apply(const DupsRequest& request, Interrupt& interrupt, ApplyView& view) {
  const PlanRequest& asked = request.plan;
  const act::DupPlan plan = read_dup_plan(*asked.apply);
  act::ApplyOptions options;
  options.dry_run = !asked.execute;
  options.journal = asked.journal_of_plan();
  options.journal_is_chosen = asked.journal.has_value();
  if (asked.quarantine) options.quarantine = quarantine_path(*asked.quarantine);
  check_quarantine(asked, plan, options.quarantine);
  options.trust_times = asked.trust_times;
  options.cancel = interrupt.token();
  options.on_act = [&](const act::Act& act) { view.act(plan, act); };
  if (asked.execute) make_durable(*asked.apply);  // an interrupted run needs it again
  interrupt.defer();
  return act::apply_plan(plan, options);
}

act::Applied undo(const DupsRequest& request, Interrupt& interrupt, ApplyView& view) {
  act::UndoOptions options;
  options.dry_run = !request.plan.execute;
  options.journal = *request.plan.undo;
  options.cancel = interrupt.token();
  options.on_file = [&](const act::Undone& undone) { view.undone(undone); };
  interrupt.defer();
  return act::undo_quarantine(options);
}

}  // namespace

int exit_code_of(const act::Applied& applied) {
  if (applied.cancelled) return kInterrupted;
  return applied.complete() ? kComplete : kIncomplete;
}

int apply_or_undo(const DupsRequest& request, Interrupt& interrupt, Output& output) {
  const PlanRequest& asked = request.plan;
  if (asked.apply) require_other_output(request, *asked.apply, "plan");
  require_other_output(request, asked.apply ? asked.journal_of_plan() : *asked.undo, "journal");
  const std::unique_ptr<ApplyView> view = view_of(request, output);
  bool begun = false;
  try {
    const act::Applied applied =
        asked.apply ? apply(request, interrupt, *view) : undo(request, interrupt, *view);
    interrupt.end_at_once();  // nothing checks the token any more
    begun = true;
    view->sum(applied);
    output.finish();
    return exit_code_of(applied);
  } catch (const base::Error& error) {
    if (begun || view->has_said_something()) throw;
    throw UsageError(error.what());  // nothing has been done
  }
}

}  // namespace fathom::cli
