// apply_plan and check_acts: open the roots, the journal and the quarantine of a plan, and run it.

#include "fathom/act/dup_apply.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dups/apply_group.h"
#include "dups/apply_run.h"
#include "dups/path_rules.h"
#include "fathom/base/error.h"
#include "run/verdict.h"

namespace fathom::act {

namespace {

void require_sound(const DupPlan& plan) {
  if (const auto flaw = flaw_of(plan)) throw base::Error("the plan is invalid: " + *flaw);
}

// The directory to which files are moved; empty for other actions.
const std::string& quarantine_of(const DupPlan& plan, const ApplyOptions& options) {
  static const std::string none;
  if (plan.action != DupAction::quarantine) return none;
  if (plan.quarantine.empty()) {
    if (options.quarantine.empty()) throw base::Error("this plan needs a quarantine directory");
    return options.quarantine;
  }
  if (!options.quarantine.empty() && options.quarantine != plan.quarantine) {
    throw base::Error("this plan moves files to " + plan.quarantine + ", not to " +
                      options.quarantine);
  }
  return plan.quarantine;
}

// What a run and a check have in common, from the journal to the sums.
struct Run {
  const DupPlan& plan;
  const ApplyOptions& options;
  const std::string& quarantine;  // empty: none
  const std::string& digest;
  Recheck recheck;
};

Applied carry_out(const Run& run, Journal& journal, const MutatingOps& ops) {
  const auto& [plan, options, path, digest, recheck] = run;
  std::optional<Quarantine> quarantine;
  if (!path.empty()) quarantine.emplace(path, !options.dry_run, ops);
  const std::vector<OpenRoot> roots = open_roots(plan.roots);

  Applied applied;
  const ApplyRun::Report report = [&](const PlanFile& file, const PlanFile& kept,
                                      const Verdict& verdict) {
    count_act(applied, verdict);
    if (!run.options.on_act) return;
    run.options.on_act({run.plan.path_of(file), &file, &kept, verdict.outcome, verdict.why,
                        verdict.code, verdict.freed, verdict.held});
  };
  Unsynced unsynced(ops);
  const PathRules path_rules(plan.action);
  const ApplyContext context{plan,  options,    ops,    journal, quarantine,
                             roots, path_rules, digest, recheck, unsynced};
  applied.cancelled = !ApplyRun(context, report).run();
  return applied;
}

bool is_refusal(Outcome outcome) {
  return outcome != Outcome::would_be_done && outcome != Outcome::promoted_to_kept;
}

}  // namespace

Applied apply_plan(const DupPlan& plan, const ApplyOptions& options) {
  require_sound(plan);
  if (options.journal.empty()) throw base::Error("a plan needs a journal");
  const std::string& quarantine = quarantine_of(plan, options);
  const MutatingOps ops(options.before_step);
  const JournalHead head{digest_of(plan), plan.action, plan.roots, quarantine};
  const auto access = options.dry_run ? Journal::Access::read : Journal::Access::write;
  const auto path = options.journal_is_chosen ? Journal::Path::chosen : Journal::Path::derived;
  Journal journal(options.journal, access, head, ops, path);
  const auto recheck = options.trust_times ? Recheck::if_inconclusive : Recheck::always;
  return carry_out({plan, options, quarantine, head.plan, recheck}, journal, ops);
}

Applied check_acts(DupPlan& plan) {
  require_sound(plan);
  struct Checked {
    bool refused = false;
    std::string why;
  };
  std::vector<Checked> checked;  // in the order of the plan
  ApplyOptions options;
  options.on_act = [&](const Act& act) { checked.push_back({is_refusal(act.outcome), act.why}); };
  const MutatingOps ops(options.before_step);
  Journal journal(ops);
  const Applied applied =
      carry_out({plan, options, plan.quarantine, {}, Recheck::never}, journal, ops);

  auto result = checked.begin();
  for (PlanGroup& group : plan.groups) {
    for (PlanFile& file : std::exchange(group.acts, {})) {
      if (result->refused) {
        group.skipped.push_back({std::move(file), std::move(result->why)});
      } else {
        group.acts.push_back(std::move(file));
      }
      ++result;
    }
  }
  plan.sums = PlanSums{applied.done, applied.freed, applied.held};
  return applied;
}

}  // namespace fathom::act
