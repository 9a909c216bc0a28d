// Layout: the plan is beside the list where there is room, and instead of it elsewhere.

#include "screen/layout.h"

#include <algorithm>

#include "screen/map_panel.h"
#include "screen/titles.h"

namespace fathom::tui {

namespace {

constexpr unsigned kWidthForPlan = 110;

bool has(const std::optional<Area>& area, unsigned x, unsigned y) {
  return area && x >= area->x && x < area->x + area->width && y > area->y &&
         y < area->y + area->height;
}

}  // namespace

Layout layout_of(const State& state, unsigned width, unsigned height) {
  const Area whole{0, 2, width, height - 5};
  const bool planning = state.layer == Layer::plan;
  const bool shows_plan = planning || !state.plan.empty();
  const unsigned side_width = width >= kWidthForMap ? 58 : 44;
  const Area side{width - side_width, whole.y, side_width, whole.height};
  Area rest = whole;
  rest.width -= side_width + 1;
  if (width < kWidthForPlan) {
    return planning ? Layout{std::nullopt, whole, std::nullopt}
                    : Layout{whole, std::nullopt, std::nullopt};
  }
  if (shows_plan) return {rest, side, std::nullopt};
  const bool shows_map = state.map.wanted && state.view == View::tree && width >= kWidthForMap;
  if (shows_map) return {rest, std::nullopt, side};
  return {whole, std::nullopt, std::nullopt};
}

Target target_at(const State& state, unsigned x, unsigned y) {
  const unsigned width = std::min(state.width, kMostWidth);
  const unsigned height = std::min(state.height, kMostHeight);
  const bool open = state.layer == Layer::none || state.layer == Layer::plan;
  if (is_too_small(state) || !open) return {};
  if (y == 1) {
    for (const Title& title : titles_of(state, width)) {
      if (x >= title.x && x < title.x + title.text.size()) {
        return {.kind = Target::Kind::view, .view = title.view};
      }
    }
    return {};
  }
  const Layout layout = layout_of(state, width, height);
  if (has(layout.list, x, y)) {
    const std::size_t index = state.cursor().top + (y - layout.list->y - 1);
    if (index < list_size(state)) return {.kind = Target::Kind::row, .index = index};
  }
  if (has(layout.plan, x, y)) {
    const std::size_t index = state.plan_cursor.top + (y - layout.plan->y - 1);
    if (index < state.plan.size()) return {.kind = Target::Kind::planned, .index = index};
  }
  if (has(layout.map, x, y)) {
    const fs::NodeId node = map_entry_at(state, *layout.map, x, y);
    if (node != fs::kNoNode) return {.kind = Target::Kind::boxed, .node = node};
  }
  return {};
}

}  // namespace fathom::tui
