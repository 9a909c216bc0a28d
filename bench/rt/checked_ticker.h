// CheckedTicker: a ticker whose ticks are counted, so that an incorrect one cannot win.
//
//   CheckedTicker<rt::ClockTicker> ticker;
//   while (step()) ticker.tick();
//   ticker.complaint();      // empty if all is correct

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fathom/base/clock.h"
#include "fathom/rt/ticker.h"
#include "rt/clock_check.h"

namespace fathom::bench {

// A short period, which is to Fathom's disadvantage: the shorter the period, the more often its
// tickers have to read the clock.
inline constexpr std::chrono::nanoseconds kPeriod = std::chrono::milliseconds(1);

class Batched : public rt::BatchedTicker<rt::ClockTicker> {
 public:
  explicit Batched(std::chrono::nanoseconds period) : BatchedTicker(0.01, period) {}
};
class BatchedCoarse : public rt::BatchedTicker<rt::CoarseTicker> {
 public:
  explicit BatchedCoarse(std::chrono::nanoseconds period) : BatchedTicker(0.01, period) {}
};

// How old the time of the ticker's clock may be. By the steady clock, its first due time may come
// earlier by this much.
template <class Ticker>
inline constexpr std::chrono::nanoseconds kStaleness{0};
template <>
inline constexpr std::chrono::nanoseconds kStaleness<rt::CoarseTicker> =
    std::chrono::milliseconds(10);
template <>
inline constexpr std::chrono::nanoseconds kStaleness<BatchedCoarse> = kStaleness<rt::CoarseTicker>;

// A ticker, and the number of its ticks, which is checked.
template <class Ticker>
class CheckedTicker {
 public:
  bool tick() {
    const bool ticked = ticker_.tick();
    if (ticked) ++ticks_;
    return ticked;
  }

  // A description of the error; empty if no tick was early and none is missing.
  std::string complaint() {
    const auto passed = before_.elapsed() + kStaleness<Ticker>;
    if (const std::int64_t due = counted(); due > passed / kPeriod) {
      return std::to_string(due) + " ticks in " + std::to_string(passed / kPeriod) + " periods";
    }
    // When it ticks, it has counted everything that was due before the call. A ticker that lost a
    // tick never catches up.
    for (const base::Stopwatch patience; patience.elapsed() < 1000 * kPeriod;) {
      const std::int64_t due = (after_.elapsed() - kStaleness<Ticker>) / kPeriod;
      if (tick() && counted() >= due) return {};
    }
    return "only " + std::to_string(counted()) + " ticks in " +
           std::to_string(after_.elapsed() / kPeriod) + " periods";
  }

 private:
  std::int64_t counted() const { return static_cast<std::int64_t>(ticks_ + ticker_.missed()); }

  base::Stopwatch before_;
  Ticker ticker_{kPeriod};
  base::Stopwatch after_;
  std::uint64_t ticks_ = 0;
};

}  // namespace fathom::bench
