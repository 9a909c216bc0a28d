// Pacer: assigns each operation a time, by its number.

#include "walk/pacer.h"

#include <algorithm>

namespace fathom::fs {

namespace {

using std::chrono::nanoseconds;

constexpr std::uint64_t kSecond = 1'000'000'000;  // nanoseconds
// A rate above the clock's resolution means no limit; below it no product here overflows.
constexpr std::uint64_t kMostRate = kSecond;

}  // namespace

nanoseconds Pacer::take(nanoseconds now) {
  const std::lock_guard lock(mutex_);
  next_ = std::max(next_, first_place_at(now - kBurst));
  return time_of(next_++);
}

nanoseconds Pacer::time_of(std::uint64_t place) const {
  const std::uint64_t rate = std::min(rate_, kMostRate);
  const std::uint64_t since = place / rate * kSecond + place % rate * kSecond / rate;
  return start_ + nanoseconds(static_cast<std::int64_t>(since));
}

std::uint64_t Pacer::first_place_at(nanoseconds time) const {
  if (time <= start_) return 0;
  const std::uint64_t rate = std::min(rate_, kMostRate);
  const auto since = static_cast<std::uint64_t>((time - start_).count());
  const std::uint64_t parts = since % kSecond * rate;
  return since / kSecond * rate + parts / kSecond + (parts % kSecond == 0 ? 0 : 1);
}

}  // namespace fathom::fs
