// BrowseActs: a plan file, its journal beside it, and a sentence about the run.

#include "run/browse_acts.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "run/output.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0700);  // the next call finds out whether it exists
    if (slash == std::string::npos) return;
  }
}

// Where plans are kept. Throws base::Error if the user has no directory for that.
std::string plan_folder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (state != nullptr && state[0] == '/') {
    folder = state;
  } else if (home != nullptr && home[0] == '/') {
    folder = std::string(home) + "/.local/state";
  } else {
    throw base::Error("neither XDG_STATE_HOME nor HOME says where to keep the journal");
  }
  folder += "/fathom/plans";
  make_folders(folder);
  return folder;
}

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

void save(const act::Plan& plan, const std::string& file) {
  Output output(file, Output::Existing::keep);
  act::write_plan(plan, [&output](std::string_view block) { return output.write(block); });
  output.finish();
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
  const std::string file = plan_folder() + '/' + std::to_string(base::wall_now_ns());
  save(plan, file);
  options.journal = file + ".journal";
  options.on_item = [&](const act::ItemResult& item) {
    if (!item.why.empty()) ran.why = item.path + ": " + item.why;
    const bool trashed = item.item->action == act::Action::trash;
    if (trashed && item.outcome == act::Outcome::done) ++ran.trashed;
  };
  journals_.push_back(options.journal);  // even if the run fails, it may have moved something
  ran.applied = act::apply_plan(plan, options);
  if (ran.applied.done == 0) journals_.pop_back();
  return ran;
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
