// Sums: exact as soon as the extras of the scan are there.

#include "model/sums.h"

#include <optional>

namespace fathom::tui {

void refresh_sums(State& state) {
  constexpr std::size_t kMany = 100'000;
  if (state.marks.size() + state.plan.size() <= kMany) return finish_sums(state);
  state.marked_sums.reset();
  state.planned_sums.reset();
  state.sums_wait = true;
}

void finish_sums(State& state) {
  state.sums_wait = false;
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
