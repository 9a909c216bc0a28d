// BrowseActs: a kept plan, its journal, and a sentence about the run.

#include "run/browse_acts.h"

#include <sys/stat.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "run/kept_plan.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// The path of an entry, of which the scan knows the root as it was given, without links above it.
std::string real_path_of(const std::string& path, const std::vector<std::string>& roots) {
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

}  // namespace

template <class Act>
tui::ActReport BrowseActs::guarded(const Act& act) {
  try {
    return act();
  } catch (const std::exception& error) {
    return {safe(error.what()), !journals_.empty()};
  }
}

tui::ActReport BrowseActs::apply(std::span<const act::Chosen> entries) {
  return guarded([&] { return apply_all(entries); });
}

tui::ActReport BrowseActs::undo() {
  return guarded([&] { return undo_last(); });
}

act::Draft BrowseActs::draft(std::span<const act::Chosen> entries) const {
  std::vector<act::Chosen> chosen(entries.begin(), entries.end());
  for (act::Chosen& entry : chosen) entry.path = real_path_of(entry.path, roots_);
  act::DraftOptions options;
  options.host = host_name();
  for (const std::string& root : roots_) options.roots.push_back(path_of_root(root));
  return act::draft_plan(std::move(chosen), options);
}

tui::ActReport BrowseActs::apply_all(std::span<const act::Chosen> entries) {
  const act::Draft draft = this->draft(entries);
  Ran ran;
  if (!draft.plan.items.empty()) ran = run(draft.plan);
  if (!draft.refused.empty()) {
    ran.why = draft.refused.front().path + ": " + draft.refused.front().why;
  }
  const std::uint64_t refused = draft.refused.size() + ran.applied.refused + ran.applied.failed;
  const std::uint64_t kept = ran.applied.done - ran.trashed;
  std::string text = "moved ";
  if (kept > 0 || ran.trashed == 0) text += counted(kept, "item", "items") + " to the quarantine";
  if (kept > 0 && ran.trashed > 0) text += ", ";
  if (ran.trashed > 0) text += counted(ran.trashed, "item", "items") + " to the trash";
  if (ran.applied.held > 0) {
    text += (kept > 0 ? "; `fathom clean --purge` then frees " : "; emptying it frees ") +
            base::format_bytes(ran.applied.held, units_);
  }
  if (refused > 0) text += "; " + grouped(refused) + " not moved: " + safe(ran.why);
  if (ran.applied.done > 0) text += ". U moves back";
  return {std::move(text), !journals_.empty()};
}

BrowseActs::Ran BrowseActs::run(const act::Plan& plan) {
  Ran ran;
  act::RunOptions options;
  options.dry_run = false;
  options.journal = keep_plan(plan);
  options.on_item = [&](const act::ItemResult& item) {
    if (!item.why.empty()) ran.why = item.path + ": " + item.why;
    const bool trashed = item.item->action == act::Action::trash;
    if (trashed && item.outcome == act::Outcome::done) ++ran.trashed;
  };
  journals_.push_back(options.journal);  // even if the run fails, it may have moved something
  ran.applied = act::apply_plan(plan, options);
  // What has failed may have been moved all the same.
  if (ran.applied.done == 0 && ran.applied.failed == 0) journals_.pop_back();
  return ran;
}

tui::ActReport BrowseActs::undo_last() {
  while (!journals_.empty() && is_missing_or_empty(journals_.back())) journals_.pop_back();
  if (journals_.empty()) return {"nothing was moved", false};
  std::string why;
  act::RunUndoOptions options{.dry_run = false, .journal = journals_.back()};
  options.on_item = [&](const act::UndoneItem& item) {
    if (!item.why.empty()) why = item.path + ": " + item.why;
  };
  const act::RunUndone undone = act::undo_run(options);
  std::string text = counted(undone.done, "item", "items") + " moved back";
  if (!undone.complete()) {
    return {text + "; " + grouped(undone.refused + undone.failed) + " not: " + safe(why), true};
  }
  journals_.pop_back();
  return {std::move(text), !journals_.empty()};
}

}  // namespace fathom::cli
