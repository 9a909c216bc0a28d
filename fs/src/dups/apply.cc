// apply_plan: opens the roots, the journal and the quarantine of a plan, and runs it.

#include "fathom/fs/dup_apply.h"

#include <optional>
#include <string>
#include <vector>

#include "dups/apply_group.h"
#include "dups/apply_run.h"
#include "dups/outcome_counts.h"
#include "fathom/base/error.h"

namespace fathom::fs {

namespace {

std::vector<OpenRoot> open_roots(const DupPlan& plan) {
  std::vector<OpenRoot> roots(plan.roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots[i].code = -open_root(plan.roots[i], roots[i].folder);
  }
  return roots;
}

void require(const DupPlan& plan, const ApplyOptions& options) {
  if (const auto flaw = flaw_of(plan)) throw base::Error("the plan is invalid: " + *flaw);
  if (options.journal.empty()) throw base::Error("a plan needs a journal");
  if (plan.action == DupAction::quarantine && options.quarantine.empty()) {
    throw base::Error("this plan needs a quarantine directory");
  }
}

}  // namespace

Applied apply_plan(const DupPlan& plan, const ApplyOptions& options) {
  require(plan, options);
  const MutatingOps ops(options.before_step);
  const bool quarantines = plan.action == DupAction::quarantine;
  const JournalHead head{digest_of(plan), plan.action, plan.roots,
                         quarantines ? options.quarantine : std::string()};
  const auto access = options.dry_run ? Journal::Access::read : Journal::Access::write;
  Journal journal(options.journal, access, head, ops);
  std::optional<Quarantine> quarantine;
  if (quarantines) quarantine.emplace(options.quarantine, !options.dry_run, ops);
  const std::vector<OpenRoot> roots = open_roots(plan);

  Applied applied;
  const ApplyRun::Report report = [&](const PlanFile& file, const PlanFile& kept,
                                      const Verdict& verdict) {
    count_outcome(applied, verdict.outcome, verdict.freed);
    if (!options.on_act) return;
    options.on_act({plan.path_of(file), &file, &kept, verdict.outcome, verdict.why, verdict.code,
                    verdict.freed});
  };
  Unsynced unsynced(ops);
  const ApplyContext context{plan, options, ops, journal, quarantine, roots, head.plan, unsynced};
  applied.cancelled = !ApplyRun(context, report).run();
  return applied;
}

}  // namespace fathom::fs
