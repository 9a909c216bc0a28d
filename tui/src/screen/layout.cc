// Layout: the plan is beside the list where there is room, and instead of it elsewhere.

#include "screen/layout.h"

#include <algorithm>

#include "screen/titles.h"

namespace fathom::tui {

namespace {

constexpr unsigned kWidthForPlan = 110;
constexpr unsigned kWidthForWidePlan = 150;

bool has(const std::optional<Area>& area, unsigned x, unsigned y) {
  return area && x >= area->x && x < area->x + area->width && y > area->y &&
         y < area->y + area->height;
}

}  // namespace

Layout layout_of(const State& state, unsigned width, unsigned height) {
  Area whole{0, 2, width, height - 5};
  const bool planning = state.layer == Layer::plan;
  if (width < kWidthForPlan || (state.plan.empty() && !planning)) {
    return planning ? Layout{std::nullopt, whole} : Layout{whole, std::nullopt};
  }
  const unsigned plan_width = width >= kWidthForWidePlan ? 58 : 44;
  whole.width -= plan_width + 1;
  return {whole, Area{whole.width + 1, whole.y, plan_width, whole.height}};
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
  return {};
}

}  // namespace fathom::tui
