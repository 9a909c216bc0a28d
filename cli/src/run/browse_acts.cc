// BrowseActs: drafts, a kept plan, its journal, and a sentence about the run.

#include "run/browse_acts.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "fathom/act/apply.h"
#include "fathom/base/error.h"
#include "run/kept_plan.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// The path of an entry without symbolic links above it. In the scan, it begins with a root as the
// user gave it.
std::string real_path_of(const std::string& path, const std::vector<std::string>& roots) {
  if (std::find(roots.begin(), roots.end(), path) != roots.end()) return path_of_root(path);
  for (const std::string& root : roots) {
    const std::string top = root.ends_with('/') ? root : root + '/';
    if (!path.starts_with(top)) continue;
    const std::string below = path.substr(top.size());
    const std::string real = path_of_root(root);
    return (real.size() > 1 ? real + '/' : real) + below;
  }
  return path;
}

// Such a journal is of a run that could not begin.
bool is_missing_or_empty(const std::string& journal) {
  struct stat there {};
  return ::lstat(journal.c_str(), &there) != 0 || there.st_size == 0;
}

// The path or the directory above it that `holds`; empty: none.
template <class Holds>
std::string closest(std::string path, const Holds& holds) {
  while (!path.empty() && !holds(path)) path.resize(path.find_last_of('/'));
  return path;
}

// What is still where it was, or not in the plan: what is inside something else shares its fate.
template <class Ran>
std::vector<tui::LeftEntry> left_of(const std::vector<std::string>& paths, const Ran& ran) {
  std::vector<tui::LeftEntry> left;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!closest(paths[i], [&](const auto& path) { return ran.moved.count(path) > 0; }).empty()) {
      continue;
    }
    const auto known =
        ran.why.find(closest(paths[i], [&](const auto& path) { return ran.why.count(path) > 0; }));
    left.push_back({i, known != ran.why.end() ? known->second : ran.error});
  }
  return left;
}

}  // namespace

tui::ApplyReport BrowseActs::apply(std::span<const act::Chosen> entries,
                                   const rt::CancelToken& cancel) {
  std::vector<std::string> paths;
  const Ran ran = act_on(entries, paths, cancel,
                         [&](const act::Plan& plan, Ran& done) { run(plan, cancel, done); });
  tui::ApplyReport report{.moved = ran.moved.size(),
                          .trashed = ran.trashed,
                          .left = left_of(paths, ran),
                          .undoable = undoable()};
  const bool deletes = !entries.empty() && entries.front().action == act::Action::remove;
  if (deletes) report.freed = ran.freed;
  return report;
}

tui::WriteReport BrowseActs::write(std::span<const act::Chosen> entries, const std::string& file,
                                   const rt::CancelToken& cancel) {
  std::vector<std::string> paths;
  const Ran ran = act_on(entries, paths, cancel, [&](const act::Plan& plan, Ran& done) {
    save_plan(plan, file);
    for (const act::PlanItem& item : plan.items) done.moved.insert(plan.path_of(item));
  });
  return {.items = ran.moved.size(), .left = left_of(paths, ran)};
}

tui::UndoReport BrowseActs::undo(const rt::CancelToken& cancel) {
  std::string sentence;
  try {
    sentence = undo_last(cancel);
  } catch (const std::exception& error) {
    sentence = safe(error.what());
    set_last_aside();
  }
  return {std::move(sentence), undoable()};
}

BrowseActs::Ran BrowseActs::act_on(
    std::span<const act::Chosen> entries, std::vector<std::string>& paths,
    const rt::CancelToken& cancel,
    const std::function<void(const act::Plan& plan, Ran& ran)>& act) const {
  std::vector<act::Chosen> chosen(entries.begin(), entries.end());
  for (act::Chosen& entry : chosen) {
    entry.path = real_path_of(entry.path, roots_);
    paths.push_back(entry.path);
  }
  Ran ran;
  try {
    if (saved_) check_saved(chosen, ran);
    const act::Draft draft = this->draft(std::move(chosen), cancel, ran);
    if (cancel.cancelled()) {
      ran = Ran();  // what the draft says may be of a part of each item
      ran.error = "interrupted";
    } else if (!draft.plan.items.empty()) {
      act(draft.plan, ran);
    }
  } catch (const std::exception& error) {
    ran.error = error.what();
  }
  return ran;
}

// Numbers of devices may be others since a restart. An entry without a known inode must at least
// have as many entries and bytes as were seen, so all of it must have been.
void BrowseActs::check_saved(std::vector<act::Chosen>& chosen, Ran& ran) const {
  const std::string here = host_name();
  if (!saved_->host.empty() && saved_->host != here) {
    throw base::Error("the scan is of another host, " + saved_->host +
                      ": use `fathom find --plan` or `fathom clean --plan` there");
  }
  if (saved_->began_ns == 0) throw base::Error("the saved scan does not say when it was made");
  for (const std::string& root : roots_) {
    if (!root.starts_with('/')) throw base::Error("the saved scan does not say where it was made");
  }
  const auto is_partial = [&](act::Chosen& entry) {
    entry.seen->device = 0;
    if (saved_->knows_inodes) return false;
    entry.seen->inode = 0;
    if (entry.seen->sums) return false;
    ran.why[entry.path] = "the saved scan does not have all of it";
    return true;
  };
  chosen.erase(std::remove_if(chosen.begin(), chosen.end(), is_partial), chosen.end());
}

act::Draft BrowseActs::draft(std::vector<act::Chosen> chosen, const rt::CancelToken& cancel,
                             Ran& ran) const {
  act::DraftOptions options;
  options.cancel = cancel;
  options.host = host_name();
  options.keep_roots = true;
  if (saved_) options.scanned_ns = saved_->began_ns;
  for (const std::string& root : roots_) options.roots.push_back(path_of_root(root));
  act::Draft draft = act::draft_plan(std::move(chosen), options);
  for (act::NotPlanned& one : draft.refused) ran.why[one.path] = std::move(one.why);
  return draft;
}

void BrowseActs::run(const act::Plan& plan, const rt::CancelToken& cancel, Ran& ran) {
  act::RunOptions options;
  options.dry_run = false;
  options.journal = keep_plan(plan);
  options.cancel = cancel;
  options.on_item = [&](const act::ItemResult& item) {
    ran.freed.now += item.freed;
    ran.freed.later += item.open;
    if (item.outcome != act::Outcome::done) {
      ran.why[item.path] = item.why;
      return;
    }
    ran.moved.insert(item.path);
    if (item.item->action == act::Action::trash) ++ran.trashed;
  };
  journals_.push_back(options.journal);  // even if the run fails, it may have moved something
  const bool went_back = std::exchange(went_back_, false);
  const act::PlanApplied applied = act::apply_plan(plan, options);
  if (applied.cancelled) ran.error = "interrupted";
  // What has failed may have been moved all the same.
  const bool changed = applied.done > 0 || applied.failed > 0;
  const bool gone = plan.items.front().action == act::Action::remove &&
                    act::unfinished_deletions(options.journal) == 0;
  if (changed && !gone) return;
  journals_.pop_back();
  went_back_ = went_back || changed;
}

tui::Undoable BrowseActs::undoable() const {
  if (journals_.empty()) return tui::Undoable::nothing;
  if (aside_ == journals_.size()) return tui::Undoable::refused;
  return went_back_ ? tui::Undoable::earlier : tui::Undoable::last;
}

void BrowseActs::drop_last() {
  journals_.pop_back();
  aside_ = std::min(aside_, journals_.size());
  went_back_ = true;
}

void BrowseActs::set_last_aside() {
  std::rotate(journals_.begin(), journals_.end() - 1, journals_.end());
  aside_ = std::min(aside_ + 1, journals_.size());
  went_back_ = true;
}

std::string BrowseActs::undo_last(const rt::CancelToken& cancel) {
  for (; !journals_.empty(); drop_last()) {
    if (is_missing_or_empty(journals_.back())) continue;
    std::string why;
    act::RunUndoOptions options{.dry_run = false, .journal = journals_.back(), .cancel = cancel};
    options.on_item = [&](const act::UndoneItem& item) {
      if (!item.why.empty()) why = item.path + ": " + item.why;
    };
    const act::RunUndone undone = act::undo_run(options);
    std::string text = counted(undone.done, "item", "items") + " moved back";
    if (undone.cancelled) return text + "; interrupted";
    if (!undone.complete()) {
      set_last_aside();
      return text + "; " + grouped(undone.refused + undone.failed) + " not: " + safe(why);
    }
    drop_last();
    // Another program has done it. Nobody has agreed to move back what was applied before.
    if (undone.done + undone.done_before == 0) break;
    return text;
  }
  return "nothing of it is left to move back";
}

}  // namespace fathom::cli
