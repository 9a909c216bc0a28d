// GroupRun: verifies, performs and records the acts of one group.

#include "dups/apply_group.h"

#include <cerrno>
#include <utility>

#include "fathom/base/clock.h"
#include "os/same_access.h"
#include "os/same_bytes.h"
#include "os/unshared.h"

namespace fathom::act {

namespace {

// The coarsest timestamp resolution in use, that of FAT.
constexpr std::int64_t kCoarsestTick = 2'000'000'000;

Verdict of_the_kept_file(Verdict verdict) {
  verdict.why = "kept file: " + verdict.why;
  return verdict;
}

}  // namespace

GroupRun::GroupRun(const ApplyContext& context, const PlanGroup& group, std::uint64_t first)
    : context_(context), group_(group), first_(first), kept_plan_(&group.kept) {}

bool GroupRun::was_done(std::size_t index) const {
  return context_.journal.stage(number(index)) == Journal::Stage::done;
}

bool GroupRun::has_begun_before(std::size_t index) const {
  return context_.journal.stage(number(index)) != Journal::Stage::fresh;
}

Trust GroupRun::trust_in(const fs::FileIdentity& identity) const {
  return begun_before_.count(inode_of(identity)) > 0 ? Trust::content : Trust::identity;
}

void GroupRun::prepare() {
  bool all_done = true;
  for (std::size_t index = 0; index < group_.acts.size(); ++index) {
    all_done = all_done && was_done(index);
    if (!has_begun_before(index)) continue;
    begun_before_.insert(inode_of(file(index).identity));
    begun_before_.insert(inode_of(group_.kept.identity));
  }
  if (all_done) return;
  auto verdict = context_.path_rules.check_kept(context_.plan.path_of(group_.kept));
  if (!verdict) verdict = open_planned(group_.kept, kept_);
  if (verdict) obstruct(of_the_kept_file(*verdict));
}

void GroupRun::obstruct(Verdict obstacle) {
  if (!obstacle_) obstacle_ = std::move(obstacle);
}

// A recently written kept file may exist in memory only while the copy to be removed is on the
// disk: a power cut would then destroy both. The same holds for a file that is moved to another
// directory. Shared blocks are synced by the act itself.
bool GroupRun::destroys_copies() const {
  return context_.plan.action != DupAction::reflink;
}

void GroupRun::add_kept(Unsynced& unsynced) const {
  if (!destroys_copies()) return;
  unsynced.add_file(kept_.file.get());
  unsynced.add_folder(kept_.location.folder.get());
}

void GroupRun::make_durable() {
  if (!destroys_copies()) return;
  if (auto verdict = sync_kept(kept_)) obstruct(std::move(*verdict));
}

std::optional<Verdict> GroupRun::sync_kept(const VerifiedFile& kept) const {
  int result = context_.ops.sync(kept.file.get());
  if (result == 0) result = context_.ops.sync(kept.location.folder.get());
  if (result == 0) return std::nullopt;
  return failed("the kept file cannot be synced to the disk", -result);
}

void GroupRun::begin(std::size_t index) const {
  if (!has_begun_before(index)) context_.journal.begin(number(index), file(index));
}

std::optional<Verdict> GroupRun::open_planned(const PlanFile& file, VerifiedFile& held) const {
  const OpenRoot& root = context_.roots[file.root];
  if (!root.folder) return failed("its root cannot be opened", root.code);
  const auto touched = touched_.find(inode_of(file.identity));
  return open_verified(root.folder.get(), file.path,
                       touched != touched_.end() ? touched->second.identity : file.identity,
                       trust_in(file.identity), held);
}

std::string GroupRun::temp_prefix_of(std::uint64_t number) const {
  return act::temp_prefix_of(context_.digest, number);
}

Verdict GroupRun::act(std::size_t index) {
  const PlanFile& file = this->file(index);
  if (obstacle_) return give_back(file, number(index), *obstacle_);
  const std::string temp_prefix = temp_prefix_of(number(index));
  if (has_begun_before(index)) {
    if (const auto verdict = recover(file, temp_prefix)) return *verdict;
  }
  VerifiedFile victim;
  auto refusal = open_planned(file, victim);
  if (!refusal) refusal = check(file, victim);
  if (!refusal) return perform(file, temp_prefix, victim);
  // Otherwise the next run would take this act for one that was interrupted, and not compare
  // ctimes.
  if (!has_begun_before(index)) context_.journal.refused(number(index));
  return *refusal;
}

std::optional<Verdict> GroupRun::recover(const PlanFile& file,
                                         const std::string& temp_prefix) const {
  const OpenRoot& root = context_.roots[file.root];
  Location location;
  // Errors on the path are reported when the file is opened.
  if (!root.folder || find_location(root.folder.get(), file.path, location) < 0)
    return std::nullopt;
  const Remains remains = remains_of(file, temp_prefix, location);
  switch (context_.plan.action) {
    case DupAction::hardlink:
      return recover_hardlink(remains);
    case DupAction::remove:
      return recover_remove(remains);
    case DupAction::quarantine:
      return recover_quarantine(remains);
    case DupAction::reflink:
      break;  // leaves nothing behind, and can be repeated
  }
  return std::nullopt;
}

Remains GroupRun::remains_of(const PlanFile& file, const std::string& temp_prefix,
                             const Location& location) const {
  fs::FileIdentity kept = kept_plan_->identity;
  const OpenRoot& root = context_.roots[kept_plan_->root];
  Location kept_location;
  if (root.folder && find_location(root.folder.get(), kept_plan_->path, kept_location) == 0) {
    kept = as_mounted_now(kept, kept_location);
  }
  return {context_.ops,
          kept_,
          kept,
          as_mounted_now(file.identity, location),
          location,
          temp_prefix,
          context_.options.dry_run,
          context_.quarantine ? &*context_.quarantine : nullptr,
          target_of(file)};
}

Verdict GroupRun::give_back(const PlanFile& file, std::uint64_t number, Verdict obstacle) const {
  const OpenRoot& root = context_.roots[file.root];
  Location location;
  if (context_.journal.stage(number) == Journal::Stage::fresh || !root.folder ||
      find_location(root.folder.get(), file.path, location) < 0) {
    return obstacle;
  }
  const std::string temp_prefix = temp_prefix_of(number);
  if (const auto where =
          act::give_back(remains_of(file, temp_prefix, location), context_.plan.action)) {
    obstacle.why += "; " + *where;
  }
  return obstacle;
}

// Every condition of an act, other than those that only its own calls can report. A new plan is
// checked here as well, so it contains no act that a dry run would refuse.
std::optional<Verdict> GroupRun::check(const PlanFile& file, VerifiedFile& victim) {
  // If other programs add or remove names of the kept file, only its ctime changes. This cannot be
  // distinguished from a concealed change, except by comparing the contents.
  const bool must = must_compare(victim);
  if (must && !context_.options.dry_run) refresh(kept_);
  const fs::FileIdentity& kept = kept_.state.identity;
  const DupAction action = context_.plan.action;
  if (same_file(kept, victim.state.identity)) {
    return Verdict{Outcome::already_shared, "it is another name of the kept file", 0, 0};
  }
  // A quarantine may be deleted at any time, so it must not have the only copy.
  if (context_.quarantine && context_.quarantine->contains(context_.plan.path_of(*kept_plan_))) {
    return refused("the kept file is in the quarantine");
  }
  if (context_.quarantine && context_.quarantine->contains(context_.plan.path_of(file))) {
    return refused("it is in the quarantine already");
  }
  auto verdict = context_.path_rules.check_victim(context_.plan.path_of(file), victim);
  if (verdict) return verdict;
  const bool joins = action == DupAction::hardlink || action == DupAction::reflink;
  if (joins && kept.device != victim.state.identity.device) {
    return refused("the kept file is on another filesystem", EXDEV);
  }
  if (action == DupAction::hardlink && mount_id_at(kept_.location.folder.get(), "") !=
                                           mount_id_at(victim.location.folder.get(), "")) {
    return refused("the kept file is on another mount of its filesystem", EXDEV);
  }
  if (action != DupAction::reflink) {
    const int result = may_change_folder(victim.location, victim.state.uid);
    if (result < 0) return failed("its directory cannot be changed", -result);
  }
  if (action == DupAction::hardlink) {
    const std::string difference =
        access_difference(kept_.file.get(), kept_.state, victim.file.get(), victim.state);
    if (!difference.empty()) return refused(difference);
  }
  return must ? compare(victim) : std::nullopt;
}

bool GroupRun::must_compare(const VerifiedFile& victim) const {
  if (context_.plan.action == DupAction::reflink) return false;  // the kernel compares
  if (context_.recheck == Recheck::never) return false;
  const auto is_young = [this](const fs::FileIdentity& identity) {
    const std::int64_t looked = context_.plan.looked_ns;
    return identity.ctime_ns >= looked || looked - identity.ctime_ns < kCoarsestTick;
  };
  // See make_plan().
  if (context_.plan.looked_ns == 0) return true;
  if (context_.recheck == Recheck::always || !begun_before_.empty()) return true;
  // A file whose ctime our own act on another name has changed must be compared, too.
  return is_young(group_.kept.identity) || is_young(victim.state.identity) ||
         touched_.count(inode_of(victim.state.identity)) > 0 || !is_untouched(kept_);
}

std::optional<Verdict> GroupRun::compare(VerifiedFile& victim) const {
  const int result = same_bytes(kept_.file.get(), victim.file.get());
  if (result < 0) return failed("it cannot be compared again", -result);
  if (result == 0) return refused("its content differs from that of the kept file");
  if (is_untouched(victim) && is_untouched(kept_)) return std::nullopt;
  return refused("it, or the kept file, has changed in the meantime");
}

Verdict GroupRun::perform(const PlanFile& file, const std::string& temp_prefix,
                          VerifiedFile& victim) {
  const ActContext context{context_.ops,
                           kept_,
                           victim,
                           temp_prefix,
                           context_.options.dry_run,
                           context_.options.max_links,
                           context_.quarantine ? &*context_.quarantine : nullptr,
                           target_of(file),
                           context_.unsynced};
  Verdict verdict;
  const std::uint64_t released = would_release(victim);
  switch (context_.plan.action) {
    case DupAction::hardlink:
      verdict = act_hardlink(context);
      break;
    case DupAction::reflink:
      verdict = act_reflink(context);
      break;
    case DupAction::remove:
      verdict = act_remove(context);
      break;
    case DupAction::quarantine:
      verdict = act_quarantine(context);
      break;
  }
  const bool acted = verdict.outcome == Outcome::done || verdict.outcome == Outcome::would_be_done;
  const bool moves = context_.plan.action == DupAction::quarantine;
  if (acted) (moves ? verdict.held : verdict.freed) = released;
  return record_result(file, victim, std::move(verdict));
}

// Records what the act itself changed of the victim, so that later acts do not mistake it for a
// change by another program.
Verdict GroupRun::record_result(const PlanFile& file, VerifiedFile& victim, Verdict verdict) {
  const bool dry = context_.options.dry_run;
  const DupAction action = context_.plan.action;
  const bool acted = verdict.outcome == Outcome::done || verdict.outcome == Outcome::would_be_done;
  if (verdict.outcome == Outcome::promoted_to_kept) {
    if (const auto obstacle = dry ? std::nullopt : sync_kept(victim)) return *obstacle;
    kept_ = std::move(victim);
    kept_plan_ = &file;
    return verdict;
  }
  note(victim, acted && action != DupAction::reflink);
  if (action == DupAction::hardlink && dry && acted) ++kept_.state.links;
  return verdict;
}

void GroupRun::note(const VerifiedFile& file, bool lost_a_name) {
  FileState now;
  if (state_of(file.file.get(), now) != 0 ||
      !same_but_for_ctime(now.identity, file.state.identity)) {
    return;
  }
  Touched& touched = touched_[inode_of(now.identity)];
  touched.identity = now.identity;
  // A file that was moved still has that name.
  const bool still_counts =
      context_.options.dry_run || context_.plan.action == DupAction::quarantine;
  if (lost_a_name && still_counts) ++touched.removed;
}

// The bytes that are freed when the victim loses the name that is acted on.
std::uint64_t GroupRun::would_release(const VerifiedFile& victim) const {
  const auto touched = touched_.find(inode_of(victim.state.identity));
  const std::uint64_t removed = touched == touched_.end() ? 0 : touched->second.removed;
  const bool has_others = victim.state.links > removed + 1;
  if (has_others && context_.plan.action != DupAction::reflink) return 0;
  return unshared_bytes(victim.file.get(), victim.state);
}

std::string GroupRun::target_of(const PlanFile& file) const {
  if (!context_.quarantine) return {};
  return Quarantine::path_of(context_.plan.roots[file.root], file.path);
}

// Looks the file up again, because the results of an earlier run are not open.
bool GroupRun::add_changed(std::size_t index) const {
  if (context_.plan.action == DupAction::reflink) return true;  // the act has added it
  const PlanFile& changed = file(index);
  Location name;
  const OpenRoot& root = context_.roots[changed.root];
  if (find_location(root.folder.get(), changed.path, name) < 0) return false;
  context_.unsynced.add_folder(name.folder.get());
  if (!context_.quarantine) return true;
  Location target;
  if (context_.quarantine->find(target_of(changed), target) < 0) return false;
  context_.unsynced.add_folder(target.folder.get());
  return true;
}

}  // namespace fathom::act
