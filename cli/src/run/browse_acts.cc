// BrowseActs: a kept plan, its journal, and a sentence about the run.

#include "run/browse_acts.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "fathom/act/apply.h"
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

// Fills in what is still where it was: what is inside something else shares its fate.
template <class Ran>
void fill_left(const std::vector<std::string>& paths, const Ran& ran, tui::ApplyReport& report) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!closest(paths[i], [&](const auto& path) { return ran.moved.count(path) > 0; }).empty()) {
      continue;
    }
    const auto known =
        ran.why.find(closest(paths[i], [&](const auto& path) { return ran.why.count(path) > 0; }));
    report.left.push_back({i, known != ran.why.end() ? known->second : ran.error});
  }
}

}  // namespace

tui::ApplyReport BrowseActs::apply(std::span<const act::Chosen> entries,
                                   const rt::CancelToken& cancel) {
  std::vector<act::Chosen> chosen(entries.begin(), entries.end());
  std::vector<std::string> paths;
  for (act::Chosen& entry : chosen) {
    entry.path = real_path_of(entry.path, roots_);
    paths.push_back(entry.path);
  }
  Ran ran;
  try {
    const act::Draft draft = this->draft(std::move(chosen), cancel, ran);
    if (cancel.cancelled()) {
      ran = Ran();  // what the draft says may be of a part of each item
      ran.error = "interrupted";
    } else if (!draft.plan.items.empty()) {
      run(draft.plan, cancel, ran);
    }
  } catch (const std::exception& error) {
    ran.error = error.what();
  }
  tui::ApplyReport report;
  report.moved = ran.moved.size();
  report.trashed = ran.trashed;
  report.can_undo = !journals_.empty();
  fill_left(paths, ran, report);
  return report;
}

tui::UndoReport BrowseActs::undo(const rt::CancelToken& cancel) {
  try {
    return undo_last(cancel);
  } catch (const std::exception& error) {
    return {safe(error.what()), !journals_.empty()};
  }
}

act::Draft BrowseActs::draft(std::vector<act::Chosen> chosen, const rt::CancelToken& cancel,
                             Ran& ran) const {
  act::DraftOptions options;
  options.cancel = cancel;
  options.host = host_name();
  options.keep_roots = true;
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
    if (item.outcome != act::Outcome::done) {
      ran.why[item.path] = item.why;
      return;
    }
    ran.moved.insert(item.path);
    if (item.item->action == act::Action::trash) ++ran.trashed;
  };
  journals_.push_back(options.journal);  // even if the run fails, it may have moved something
  const act::PlanApplied applied = act::apply_plan(plan, options);
  if (applied.cancelled) ran.error = "interrupted";
  // What has failed may have been moved all the same.
  if (applied.done == 0 && applied.failed == 0) journals_.pop_back();
}

tui::UndoReport BrowseActs::undo_last(const rt::CancelToken& cancel) {
  while (!journals_.empty() && is_missing_or_empty(journals_.back())) journals_.pop_back();
  if (journals_.empty()) return {"nothing was moved", false};
  std::string why;
  act::RunUndoOptions options{.dry_run = false, .journal = journals_.back(), .cancel = cancel};
  options.on_item = [&](const act::UndoneItem& item) {
    if (!item.why.empty()) why = item.path + ": " + item.why;
  };
  const act::RunUndone undone = act::undo_run(options);
  std::string text = counted(undone.done, "item", "items") + " moved back";
  if (undone.cancelled) return {text + "; interrupted", true};
  if (!undone.complete()) {
    return {text + "; " + grouped(undone.refused + undone.failed) + " not: " + safe(why), true};
  }
  journals_.pop_back();
  return {std::move(text), !journals_.empty()};
}

}  // namespace fathom::cli
