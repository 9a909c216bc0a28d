// Marking: changes of the two baskets.

#include "model/marking.h"

#include <algorithm>
#include <vector>

#include "fathom/text/number.h"
#include "model/place.h"
#include "model/update.h"

namespace fathom::tui {

namespace {

std::optional<fs::Chosen> entry_at(const State& state, std::size_t index) {
  const auto row = row_at(state, index);
  if (!row || row->node == fs::kNoNode) return std::nullopt;
  return fs::Chosen{row->node, row->directory};
}

// Says why there is nothing to mark.
bool can_mark(State& state) {
  if (lists_entries(state.view)) return true;
  state.message = "Enter lists the entries of a row, which can then be marked";
  return false;
}

void mark_between(State& state, std::size_t first, std::size_t last) {
  // The rows between are not in order yet, only those on the screen are.
  state.listing.show(first, last + 1);
  for (std::size_t i = first; i <= last; ++i) {
    if (const auto entry = entry_at(state, i)) state.marks.add(*entry);
  }
}

void finish_range(State& state) {
  const std::size_t other = *state.anchor;
  state.anchor.reset();
  const std::size_t at = state.cursor().at;
  mark_between(state, std::min(other, at), std::max(other, at));
  refresh_sums(state);
}

}  // namespace

void mark_and_move_down(State& state) {
  if (!can_mark(state)) return;
  if (state.anchor) return finish_range(state);
  const auto entry = entry_at(state, state.cursor().at);
  if (!entry) {
    state.message = "this was not scanned, so it cannot be marked";
  } else if (state.marks.has(entry->node)) {
    state.marks.remove({&*entry, 1});
  } else {
    state.marks.add(*entry);
  }
  move_to(state, state.cursor().at + 1);
  refresh_sums(state);
}

void mark_range(State& state) {
  if (!can_mark(state)) return;
  if (state.anchor) return finish_range(state);
  if (list_size(state) == 0) return;
  state.anchor = state.cursor().at;
  state.message = "range: move to its other end, then V or Space marks it; Esc gives it up";
}

void invert_marks(State& state) {
  if (!can_mark(state)) return;
  state.anchor.reset();
  std::vector<fs::Chosen> out;
  std::vector<fs::Chosen> in;
  in.reserve(list_size(state));
  for (std::size_t i = 0; i < list_size(state); ++i) {
    const auto entry = entry_at(state, i);
    if (entry) (state.marks.has(entry->node) ? out : in).push_back(*entry);
  }
  if (!out.empty()) state.marks.remove(out);
  for (const fs::Chosen& entry : in) state.marks.add(entry);
  refresh_sums(state);
}

void clear_marks(State& state) {
  state.marks.clear();
  refresh_sums(state);
}

void plan_or_not(State& state) {
  if (!can_mark(state)) return;
  if (state.anchor) finish_range(state);
  std::vector<fs::Chosen> chosen(state.marks.entries().begin(), state.marks.entries().end());
  if (chosen.empty()) {
    const auto entry = entry_at(state, state.cursor().at);
    if (entry) chosen.push_back(*entry);
  }
  if (chosen.empty()) return;
  const bool all_in = std::all_of(chosen.begin(), chosen.end(), [&](const fs::Chosen& entry) {
    return state.plan.has(entry.node);
  });
  if (all_in) {
    state.plan.remove(chosen);
  } else {
    for (const fs::Chosen& entry : chosen) state.plan.add(entry);
  }
  state.marks.clear();
  state.message = (all_in ? "took " : "put ") + text::counted(chosen.size(), "item", "items") +
                  (all_in ? " out of the plan" : " into the plan; nothing is changed on disk");
  refresh_sums(state);
}

void take_out(State& state) {
  if (state.plan.empty()) return;
  const fs::Chosen entry = state.plan.entries()[state.plan_cursor.at];
  state.plan.remove({&entry, 1});
  refresh_sums(state);
}

}  // namespace fathom::tui
