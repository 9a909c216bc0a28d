// PlanPane: rows of the plan.

#include "screen/plan_pane.h"

#include <algorithm>

#include "fathom/fs/kind_words.h"
#include "fathom/text/number.h"
#include "screen/entry_table.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

std::uint64_t by_measure(const State& state, const fs::Sizes& sizes) {
  return state.how.measure == fs::Measure::disk ? sizes.disk_bytes : sizes.apparent_bytes;
}

void draw_planned(const State& state, const Area& area, Grid& grid, std::size_t index, unsigned y) {
  const fs::Chosen entry = state.plan.entries()[index];
  const fs::Tree& tree = state.facts->tree();
  const bool selected = state.layer == Layer::plan && index == state.plan_cursor.at;
  const Listing::Row row{entry.node, entry.directory, nullptr};
  grid.put(area.x, y, selected ? ">" : " ");
  if (state.trash.count(entry.node) > 0) grid.put(area.x + 1, y, "t", {.tone = Tone::planned});
  if (state.why_left.count(entry.node) > 0) grid.put(area.x + 1, y, "!", {.tone = Tone::warning});
  grid.put(area.x + 2, y, text::right(bytes_text(state, bytes_of(state, row)), 8));
  const std::string_view suffix = fs::kind_mark(tree, entry.node);
  const unsigned room = area.width - 12 - static_cast<unsigned>(suffix.size());
  const Style style{.tone = tone_of(tree.kind(entry.node))};
  const unsigned end =
      grid.put(area.x + 12, y, fitted(state, path_below_top(state, entry.node), room), style);
  grid.put(end, y, suffix, style);
  if (!selected) return;
  grid.set_reverse(area.x, y, area.width);
  grid.cursor_x = area.x;
  grid.cursor_y = y;
}

}  // namespace

bool has_lower_bounds(const State& state, const Basket& basket) {
  const auto entries = basket.entries();
  return std::any_of(entries.begin(), entries.end(), [&](const fs::Chosen& entry) {
    return entry.directory != fs::kNoDir && state.facts->lower_bound(entry.directory);
  });
}

void draw_plan(const State& state, const Area& area, Grid& grid) {
  std::string title = "Plan: " + text::counted(state.planned_items, "item", "items");
  if (state.trashed_items > 0) {
    title += ", " + text::grouped(state.trashed_items) + " to the trash (t)";
  }
  const std::size_t below = state.plan.size() - state.planned_items;
  if (below > 0) title += ", " + text::grouped(below) + " more inside";
  grid.put(area.x + 2, area.y, cut_off(state, title, area.width - 2), {.tone = Tone::strong});
  for (unsigned i = 0; i + 1 < area.height; ++i) {
    const std::size_t index = state.plan_cursor.top + i;
    if (index >= state.plan.size()) break;
    draw_planned(state, area, grid, index, area.y + 1 + i);
  }
  if (state.plan.empty() && area.height > 1) {
    grid.put(area.x + 2, area.y + 1,
             fitted(state, "(empty: d puts entries into it)", area.width - 2));
  }
}

std::string sums_text(const State& state, const Basket& basket, std::size_t items,
                      const std::optional<fs::Freed::Sums>& sums, unsigned room) {
  const std::string head = text::counted(items, "item", "items");
  if (!sums) return head + ", counting";
  const std::uint64_t freed = by_measure(state, sums->exclusive);
  const std::uint64_t counted = by_measure(state, sums->counted);
  const std::string entries = ", " + text::counted(sums->entries, "entry", "entries");
  std::string frees = ", frees ";
  if (has_lower_bounds(state, basket)) frees += at_least(state);
  frees += bytes_text(state, freed);
  std::string stay;
  if (counted > freed) stay = " (" + bytes_text(state, counted - freed) + " stay, shared)";
  for (const std::string& text : {head + entries + frees + stay, head + frees + stay}) {
    if (columns_of(text) <= room) return text;
  }
  return head + frees;
}

}  // namespace fathom::tui
