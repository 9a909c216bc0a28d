// ClockMap: linear interpolation between readings of both clocks.

#include "timeline/clock_map.h"

#include <algorithm>

namespace fathom::diag {

namespace {

// A state with times in nanoseconds of the monotonic clock.
constexpr Recording::State kMonotonic = 0;

}  // namespace

ClockMap::ClockMap(Recording::State state) : state_(state) {
  points_.push_back({Recording::ticks(state_), 0, 1.0});
  start_ = Recording::ticks(kMonotonic);
}

void ClockMap::read() {
  const Ticks before = Recording::ticks(state_);
  const std::uint64_t now = Recording::ticks(kMonotonic);
  const Ticks after = Recording::ticks(state_);
  add(before + (after - before) / 2, now - start_);
}

void ClockMap::add(Ticks ticks, std::uint64_t nanoseconds) {
  Point& last = points_.back();
  if (ticks <= last.ticks) return;
  const std::uint64_t later = std::max(nanoseconds, last.nanoseconds);
  last.rate =
      static_cast<double>(later - last.nanoseconds) / static_cast<double>(ticks - last.ticks);
  points_.push_back({ticks, later, last.rate});
}

std::uint64_t ClockMap::nanoseconds(Ticks ticks) const noexcept {
  if (is_before(ticks)) return 0;
  // Most times are between the last two points.
  auto point = points_.end() - 1;
  if (ticks < point->ticks) {
    point = std::upper_bound(points_.begin(), points_.end(), ticks,
                             [](Ticks a, const Point& b) { return a < b.ticks; }) -
            1;
  }
  const double since = static_cast<double>(ticks - point->ticks) * point->rate;
  const auto told = point->nanoseconds + static_cast<std::uint64_t>(since);
  // Rounding must not exceed the next point.
  return point + 1 == points_.end() ? told : std::min(told, (point + 1)->nanoseconds);
}

}  // namespace fathom::diag
