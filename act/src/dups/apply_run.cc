// ApplyRun: gathers a batch, writes the journal ahead, carries out the acts, and records them.

#include "dups/apply_run.h"

#include <algorithm>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"

namespace fathom::act {

namespace {

// The most bytes to compare in one batch: with more, the time for syncing is negligible, and
// progress would be reported too seldom.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

bool is_done(const Verdict& verdict) {
  return verdict.outcome == Outcome::done || verdict.outcome == Outcome::done_before;
}

}  // namespace

bool ApplyRun::run() {
  const bool acts = !context_.options.dry_run;
  while (gather()) {
    if (acts) write_ahead();
    const bool goes_on = carry_out();
    if (acts) record();
    report();
    if (!goes_on) return false;
  }
  return true;
}

// Gathers the next acts; false: there are none.
bool ApplyRun::gather() {
  batch_.clear();
  // The last group may continue in the next batch.
  if (!groups_.empty())
    groups_.erase(groups_.begin(), index_ > 0 ? groups_.end() - 1 : groups_.end());
  const auto& groups = context_.plan.groups;
  const std::size_t most = std::max<std::size_t>(context_.options.acts_at_once, 1);
  std::uint64_t bytes = 0;
  while (group_ < groups.size() && batch_.size() < most && bytes < kMostBytes) {
    const PlanGroup& group = groups[group_];
    if (index_ == group.acts.size()) {
      ++group_;
      index_ = 0;
      continue;
    }
    if (index_ == 0) {
      groups_.push_back(std::make_unique<GroupRun>(context_, group, number_));
      groups_.back()->prepare();
    }
    bytes = base::saturating_add(bytes, group.acts[index_].identity.size);
    batch_.push_back({groups_.back().get(), index_, nullptr, {}, false});
    ++index_;
    ++number_;
  }
  return !batch_.empty();
}

bool ApplyRun::is_to_do(const Pending& act) const {
  return !act.group->was_done(act.index) && !act.group->is_obstructed();
}

void ApplyRun::write_ahead() {
  make_kept_durable();
  bool begins = false;
  for (const Pending& act : batch_) {
    if (!is_to_do(act)) continue;
    act.group->begin(act.index);
    begins = true;
  }
  const int result = begins ? context_.journal.flush() : 0;
  if (result == 0) return;
  for (const Pending& act : batch_) {
    act.group->obstruct(failed("the journal cannot be written", -result));
  }
}

// Syncs them together; if that fails, one by one, to find out which one failed.
void ApplyRun::make_kept_durable() {
  std::vector<GroupRun*> groups;
  for (const Pending& act : batch_) {
    if (is_to_do(act) && (groups.empty() || groups.back() != act.group)) {
      groups.push_back(act.group);
    }
  }
  Unsynced unsynced(context_.ops);
  for (const GroupRun* group : groups) group->add_kept(unsynced);
  if (unsynced.sync_all() == 0) return;
  for (GroupRun* group : groups) group->make_durable();
}

// False: cancelled; the batch then ends before the first act that was not attempted.
bool ApplyRun::carry_out() {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (context_.options.cancel.expire(base::monotonic_now())) {
      batch_.resize(i);
      return false;
    }
    Pending& act = batch_[i];
    act.kept = &act.group->kept();
    act.is_recorded = act.group->was_done(act.index);
    act.verdict =
        act.is_recorded ? Verdict{Outcome::done_before, {}, 0, 0} : act.group->act(act.index);
  }
  return true;
}

void ApplyRun::record() {
  std::vector<Pending*> done;
  for (Pending& act : batch_) {
    // An act whose change is not found is left to the next run.
    if (act.is_recorded || !is_done(act.verdict) || !act.group->add_changed(act.index)) continue;
    done.push_back(&act);
  }
  int result = context_.unsynced.sync_all();
  if (result == 0) {
    for (const Pending* act : done) context_.journal.done(act->group->number(act->index));
    result = context_.journal.write();
  }
  if (result == 0) return;
  for (Pending* act : done)
    act->verdict = failed("it was done, but the journal cannot be written", -result);
}

void ApplyRun::report() const {
  for (const Pending& act : batch_) report_(act.group->file(act.index), *act.kept, act.verdict);
}

}  // namespace fathom::act
