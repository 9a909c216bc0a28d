// BrowseActs: a kept plan, its journal, and a sentence about the run.

#include "run/browse_acts.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "fathom/act/apply.h"
#include "fathom/act/plan.h"
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

}  // namespace

template <class Act>
tui::ActReport BrowseActs::guarded(const Act& act) {
  try {
    return act();
  } catch (const std::exception& error) {
    return {safe(error.what()), !journals_.empty()};
  }
}

tui::ActReport BrowseActs::apply(std::span<const std::string> paths) {
  return guarded([&] { return apply_all(paths); });
}

tui::ActReport BrowseActs::undo() {
  return guarded([&] { return undo_last(); });
}

tui::ActReport BrowseActs::apply_all(std::span<const std::string> paths) {
  std::vector<act::Chosen> chosen;
  for (const std::string& path : paths) {
    chosen.push_back({real_path_of(path, roots_), act::Action::quarantine, {}});
  }
  act::DraftOptions options;
  options.host = host_name();
  for (const std::string& root : roots_) options.roots.push_back(path_of_root(root));
  const act::Draft draft = act::draft_plan(std::move(chosen), options);
  std::string why;
  if (!draft.refused.empty()) why = draft.refused.front().path + ": " + draft.refused.front().why;

  act::RunOptions run;
  run.dry_run = false;
  run.journal = keep_plan(draft.plan);
  run.on_item = [&](const act::ItemResult& item) {
    if (!item.why.empty()) why = item.path + ": " + item.why;
  };
  journals_.push_back(run.journal);  // even if the run fails, it may have moved something
  const act::PlanApplied applied = act::apply_plan(draft.plan, run);
  if (applied.done == 0) journals_.pop_back();
  const std::uint64_t refused = draft.refused.size() + applied.refused + applied.failed;
  std::string text = "moved " + counted(applied.done, "item", "items") + " to the quarantine";
  if (applied.held > 0) {
    text += "; `fathom clean --purge` then frees " + base::format_bytes(applied.held, units_);
  }
  if (refused > 0) text += "; " + grouped(refused) + " not moved: " + safe(why);
  if (applied.done > 0) text += ". U moves back";
  return {std::move(text), !journals_.empty()};
}

tui::ActReport BrowseActs::undo_last() {
  while (!journals_.empty() && why_missing(journals_.back()) != 0) journals_.pop_back();
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
