// Sums: exact as soon as the extras of the scan are there.

#include "model/sums.h"

#include <optional>

namespace fathom::tui {

namespace {

bool is_below_another(const fs::Tree& tree, const Basket& basket, fs::NodeId node) {
  for (fs::DirId at = tree.parent(node); at != fs::kNoDir; at = tree.parent_of(at)) {
    if (basket.has(tree.node(at))) return true;
  }
  return false;
}

// Calls take(node) for each entry that is not below another one.
template <class Take>
void for_each_item(const State& state, const Basket& basket, Take take) {
  for (const fs::Chosen& entry : basket.entries()) {
    if (!is_below_another(state.facts->tree(), basket, entry.node)) take(entry.node);
  }
}

void count_items(State& state) {
  state.marked_items = state.planned_items = state.trashed_items = 0;
  for_each_item(state, state.marks, [&](fs::NodeId) { ++state.marked_items; });
  for_each_item(state, state.plan, [&](fs::NodeId node) {
    ++state.planned_items;
    state.trashed_items += state.trash.count(node);
  });
}

}  // namespace

void refresh_sums(State& state) {
  constexpr std::size_t kMany = 100'000;
  if (state.marks.size() + state.plan.size() <= kMany) return finish_sums(state);
  state.marked_sums.reset();
  state.planned_sums.reset();
  state.marked_items = state.marks.size();
  state.planned_items = state.plan.size();
  state.trashed_items = state.trash.size();
  state.sums_wait = true;
}

void finish_sums(State& state) {
  state.sums_wait = false;
  count_items(state);
  const auto sums = [&](const Basket& basket) -> std::optional<fs::Freed::Sums> {
    if (basket.empty() || state.extras == nullptr || state.extras->facts != state.facts) {
      return std::nullopt;
    }
    return state.extras->freed.by(basket.entries());
  };
  state.marked_sums = sums(state.marks);
  state.planned_sums = sums(state.plan);
}

}  // namespace fathom::tui
