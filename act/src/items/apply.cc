// apply_plan: opens what a run needs, and carries out the items in batches.
//
// Syncing takes milliseconds, so the items of a batch are synced together: their lines in the
// journal before anything is done, and the directories that they have changed before they are
// reported. A run that is killed in between finds out from the filesystem which of them were done.

#include "fathom/act/apply.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/surroundings.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "items/item_run.h"
#include "items/run_name.h"
#include "os/free_space.h"
#include "os/processes.h"

namespace fathom::act {

namespace {

constexpr std::size_t kItemsAtOnce = 64;
// What is known about the entries of a batch takes eight bytes each.
constexpr std::uint64_t kEntriesAtOnce = 1'000'000;

ItemJournalHead head_of(const Plan& plan) {
  const std::string digest = digest_of(plan);
  return {digest, run_name(digest), plan.created_ns, plan.roots};
}

// What processes have open matters only for what is deleted.
Processes processes_for(const Plan& plan) {
  const bool deletes = std::any_of(plan.items.begin(), plan.items.end(), [](const PlanItem& item) {
    return item.action == Action::remove;
  });
  return deletes ? read_processes() : Processes();
}

class PlanRun {
 public:
  PlanRun(const Plan& plan, const RunOptions& options)
      : plan_(plan),
        options_(options),
        ops_(options.before_step),
        journal_(options.journal, options.dry_run ? JournalAccess::read : JournalAccess::write,
                 head_of(plan), ops_,
                 options.journal_is_chosen ? JournalPath::chosen : JournalPath::derived),
        never_(own_surroundings()),
        roots_(open_roots(plan.roots)),
        processes_(processes_for(plan)),
        unsynced_(ops_),
        context_{plan_,      options_,  ops_,      journal_,        never_,     roots_,
                 processes_, executor_, unsynced_, names_in_trash_, seen_names_} {}

  PlanApplied run() {
    if (!options_.dry_run) begin();
    for (std::uint64_t i = 0; i < plan_.items.size(); ++i) {
      if (!gather(i)) break;
      entries_ += plan_.items[i].entries;
      if (batch_.size() >= kItemsAtOnce || entries_ >= kEntriesAtOnce) finish_batch();
    }
    finish_batch();
    if (!options_.dry_run) end();
    return std::move(applied_);
  }

 private:
  struct Pending {
    ItemRun run;
    std::optional<Verdict> verdict;  // none: it is to be done
  };

  void begin() {
    note_space_before();
    if (const int code = journal_.reserve(plan_); code < 0) {
      throw base::SystemError("cannot reserve room for the journal " + options_.journal +
                                  ": put it on another filesystem with --journal FILE",
                              -code);
    }
  }

  void end() {
    journal_.release();
    note_space_after();
  }

  // False: the run was cancelled before or while the item was examined.
  bool gather(std::uint64_t number) {
    if (is_cancelled()) return false;
    Pending& item = batch_.emplace_back(Pending{ItemRun(context_, number), std::nullopt});
    item.verdict = item.run.check();
    const bool is_examined = item.verdict && item.verdict->outcome != Outcome::refused;
    if (!is_examined && is_cancelled()) {
      batch_.pop_back();
      return false;
    }
    if (item.verdict) return true;
    if (options_.dry_run) {
      item.verdict = item.run.foresee();
      return true;
    }
    item.run.begin();
    return true;
  }

  bool is_cancelled() {
    applied_.cancelled = applied_.cancelled || options_.cancel.expire(base::monotonic_now());
    return applied_.cancelled;
  }

  void finish_batch() {
    if (options_.dry_run) return report();
    const int begun = journal_.flush();
    for (Pending& item : batch_) {
      if (item.verdict) continue;
      item.verdict = begun < 0 ? failed("the journal cannot be written", -begun) : item.run.act();
    }
    const int synced = unsynced_.sync_all();
    for (Pending& item : batch_) {
      if (item.verdict->outcome != Outcome::done) continue;
      if (synced < 0) {
        item.verdict = failed("it is not certain that it is on the disk", -synced);
      } else {
        journal_.done(item.run.number());
      }
    }
    const int written = journal_.write();
    report();
    if (written < 0) {
      throw base::SystemError("cannot write the journal " + options_.journal, -written);
    }
  }

  void report() {
    for (const Pending& item : batch_) {
      const Verdict& verdict = *item.verdict;
      count_act(applied_, verdict);
      applied_.open.insert(applied_.open.end(), verdict.open.begin(), verdict.open.end());
      if (!options_.on_item) continue;
      options_.on_item({&item.run.item(), plan_.path_of(item.run.item()), verdict.outcome,
                        verdict.why, verdict.code, verdict.freed, bytes_of(verdict.open),
                        verdict.held, item.run.moved_to()});
    }
    batch_.clear();
    entries_ = 0;
  }

  void note_space_before() {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      FileState state;
      if (roots_[i].code != 0 || state_of(roots_[i].folder.get(), state) < 0) continue;
      const auto free = free_space(roots_[i].folder.get());
      if (!free || !devices_.emplace(state.identity.device, i).second) continue;
      applied_.space.push_back({plan_.roots[i], *free, *free});
    }
  }

  void note_space_after() {
    std::size_t next = 0;
    for (std::size_t i = 0; i < roots_.size() && next < applied_.space.size(); ++i) {
      if (plan_.roots[i] != applied_.space[next].root) continue;
      // Some filesystems free the blocks of removed files only when they are synced.
      static_cast<void>(ops_.sync_whole(roots_[i].folder.get()));
      applied_.space[next].after = free_space(roots_[i].folder.get()).value_or(0);
      ++next;
    }
  }

  const Plan& plan_;
  const RunOptions& options_;
  const MutatingOps ops_;
  ItemJournal journal_;
  const NeverTouch never_;
  const std::vector<OpenRoot> roots_;
  const Processes processes_;
  rt::Executor executor_;  // starts threads when they are needed
  Unsynced unsynced_;
  std::set<std::string> names_in_trash_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> seen_names_;
  const ItemContext context_;
  std::vector<Pending> batch_;
  std::uint64_t entries_ = 0;  // of the batch, and below
  std::map<std::uint64_t, std::size_t> devices_;
  PlanApplied applied_;
};

}  // namespace

PlanApplied apply_plan(const Plan& plan, const RunOptions& options) {
  if (const auto flaw = flaw_of(plan)) throw base::Error("the plan is invalid: " + *flaw);
  return PlanRun(plan, options).run();
}

}  // namespace fathom::act
