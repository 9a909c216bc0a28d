// Applying: the entries of the plan for those who carry it out, and back.

#include "model/applying.h"

#include <cstddef>
#include <span>
#include <utility>

#include "model/marking.h"
#include "model/seen.h"

namespace fathom::tui {

namespace {

// The closest directory that contains all the entries.
fs::DirId common_of(const fs::Tree& tree, std::span<const fs::Chosen> entries) {
  fs::DirId common = fs::kNoDir;
  bool is_first = true;
  for (const fs::Chosen& entry : entries) {
    fs::DirId other = tree.parent(entry.node);
    if (std::exchange(is_first, false)) common = other;
    while (common != other && common != fs::kNoDir && other != fs::kNoDir) {
      fs::DirId& deeper = tree.depth(common) >= tree.depth(other) ? common : other;
      deeper = tree.parent_of(deeper);
    }
    if (other == fs::kNoDir) common = fs::kNoDir;
  }
  return common;
}

// Everything is to be scanned again.
void outdate_roots(State& state) {
  const Items roots = state.facts->in(fs::kNoDir);
  state.outdated.insert(roots.directories.begin(), roots.directories.end());
}

}  // namespace

std::vector<act::Chosen> chosen_in(const State& state, const Basket& basket) {
  std::vector<act::Chosen> chosen;
  for (const fs::Chosen& entry : basket.entries()) {
    act::Chosen one{.path = state.facts->tree().path(entry.node)};
    one.seen = seen_of(*state.facts, entry);
    if (state.trash.count(entry.node) > 0) one.action = act::Action::trash;
    if (const act::Candidate* const candidate = ruled(state, entry.node)) {
      one.reason = {.rule = candidate->rule->id,
                    .rule_class = std::string(act::to_string(candidate->cls)),
                    .rebuild = candidate->rebuild,
                    .evidence = candidate->evidence};
    }
    chosen.push_back(std::move(one));
  }
  return chosen;
}

std::vector<act::Chosen> chosen_to_delete(const State& state) {
  std::vector<act::Chosen> chosen = chosen_in(state, state.plan);
  for (act::Chosen& one : chosen) one.action = act::Action::remove;
  return chosen;
}

void take_applied(State& state, const ApplyReport& report) {
  std::vector<fs::Chosen> moved(state.plan.entries().begin(), state.plan.entries().end());
  state.why_left.clear();
  for (auto left = report.left.rbegin(); left != report.left.rend(); ++left) {
    state.why_left.emplace(moved[left->index].node, left->why);
    moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(left->index));
  }
  // What could not be deleted may have lost a part.
  const auto changed = report.freed ? state.plan.entries() : std::span<const fs::Chosen>(moved);
  const fs::DirId common = common_of(state.facts->tree(), changed);
  if (common != fs::kNoDir) {
    state.outdated.insert(common);
  } else if (!changed.empty()) {
    outdate_roots(state);
  }
  state.plan.remove(moved);
  for (const fs::Chosen& entry : moved) state.trash.erase(entry.node);
  state.undoable = report.undoable;
  const bool freed = report.freed && (report.freed->now > 0 || report.freed->later > 0);
  state.has_deleted = state.has_deleted || freed || (report.freed && report.moved > 0);
  state.layer = Layer::none;
  clear_marks(state);
}

void take_written(State& state, const WriteReport& report) {
  state.why_left.clear();
  const auto entries = basket_to_write(state).entries();
  for (const LeftEntry& left : report.left) {
    state.why_left.emplace(entries[left.index].node, left.why);
  }
}

void take_undone(State& state, const UndoReport& report) {
  state.undoable = report.undoable;
  outdate_roots(state);
}

fs::DirId take_outdated(State& state) {
  if (state.progress.running || state.outdated.empty()) return fs::kNoDir;
  return state.outdated.extract(state.outdated.begin()).value();
}

}  // namespace fathom::tui
