// Tickers: "is it time yet?" for hot loops, without asking the clock more than it takes.
//
// A ticker has a period, at least 1 ns, and a grid of due moments: start + n * period, n >= 1,
// where start is its construction. tick() is true when at least one due moment has passed since it
// was last true. By its own clock it is never true early, and its due moments never drift: being
// late for one does not move the next. Due moments that passed together with a later one have no
// tick of their own; they are counted as missed. What comes after the end of the 64-bit nanosecond
// count is never due.
//
//   BatchedTicker<ClockTicker> ticker(0.01, 100ms);  // may be late by 1% of the period
//   while (step()) {
//     if (ticker.tick()) report();
//   }
//
//   ClockTicker    reads the steady clock at each call: as late as the loop is.
//   CoarseTicker   reads a cheaper clock, which stands still for some milliseconds at a time.
//   TscTicker      reads the processor's counter, and the clock when that says that it is time.
//   BatchedTicker  asks one of the first two at every N-th call; N follows the pace of the loop.
//
// Constructors throw base::Error when the period is not positive. Tickers belong to one thread, so
// nothing in here is atomic or padded. Clocks are parameters: tests bring their own.

#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

#include "fathom/base/clock.h"

namespace fathom::rt {

// Time since any fixed moment. Where it goes back, ticks wait until it has caught up.
template <class C>
concept TickClock = std::move_constructible<C> && requires(C& clock) {
  { clock.now() } -> std::same_as<std::chrono::nanoseconds>;
};

template <class T>
concept Ticker = requires(T& ticker, const T& same) {
  { ticker.tick() } -> std::same_as<bool>;
  { same.missed() } -> std::same_as<std::uint64_t>;
  { same.period() } -> std::same_as<std::chrono::nanoseconds>;
};

// A ticker that has read its clock in each tick().
template <class T>
concept ClockedTicker = Ticker<T> && requires(const T& ticker) {
  { ticker.last() } -> std::same_as<std::chrono::nanoseconds>;
};

// The due moments, for whoever has the time at hand.
class TickGrid {
 public:
  // Throws base::Error.
  TickGrid(std::chrono::nanoseconds start, std::chrono::nanoseconds period);

  // tick() at that moment.
  bool due(std::chrono::nanoseconds now) noexcept { return now >= next_ && pass(now); }

  // The next due moment; max() when there is none.
  std::chrono::nanoseconds next() const noexcept { return next_; }
  std::chrono::nanoseconds period() const noexcept { return period_; }
  std::uint64_t missed() const noexcept { return missed_; }

 private:
  bool pass(std::chrono::nanoseconds now) noexcept;

  std::chrono::nanoseconds period_;
  std::chrono::nanoseconds next_;
  std::uint64_t missed_ = 0;
};

// From one moment to a later one, as a number that does not overflow.
inline std::uint64_t tick_distance(std::chrono::nanoseconds from,
                                   std::chrono::nanoseconds to) noexcept {
  return static_cast<std::uint64_t>(to.count()) - static_cast<std::uint64_t>(from.count());
}

struct SteadyTime {
  static std::chrono::nanoseconds now() noexcept {
    return base::monotonic_now().time_since_epoch();
  }
};

// Linux's CLOCK_MONOTONIC_COARSE, which moves with the kernel's own tick, every 1 to 10 ms;
// elsewhere the steady clock.
struct CoarseTime {
  static std::chrono::nanoseconds now() noexcept;
};

template <TickClock Clock>
class BasicTicker {
 public:
  explicit BasicTicker(std::chrono::nanoseconds period, Clock clock = {})
      : clock_(std::move(clock)), last_(clock_.now()), grid_(last_, period) {}

  bool tick() noexcept {
    last_ = clock_.now();
    return grid_.due(last_);
  }

  std::uint64_t missed() const noexcept { return grid_.missed(); }
  std::chrono::nanoseconds period() const noexcept { return grid_.period(); }

  // What the clock said in the last tick(), or in the constructor.
  std::chrono::nanoseconds last() const noexcept { return last_; }

 private:
  Clock clock_;
  std::chrono::nanoseconds last_;
  TickGrid grid_;
};

using ClockTicker = BasicTicker<SteadyTime>;
using CoarseTicker = BasicTicker<CoarseTime>;

// Asks another ticker once in a batch of calls.
//
// A batch lasts at most half of `lateness` * period at the pace of the one before. So a tick is
// late by less than all of that, or than one call, as long as no batch is more than twice as slow
// as the one before; a batch that is adds the excess, once. A batch is one call at first, at most
// twice the last one, and never more than kLargestBatch. A clock that stands still for a while at a
// time makes ticks late by up to four times that while more.
template <ClockedTicker Inner>
class BatchedTicker {
 public:
  static constexpr std::uint32_t kLargestBatch = 1U << 16U;

  // The arguments are the inner ticker's. Throws base::Error, too when the lateness is not above 0
  // and at most 1.
  template <class... Arguments>
  explicit BatchedTicker(double lateness, Arguments&&... arguments);

  bool tick() noexcept {
    if (--left_ != 0) return false;
    return ask();
  }

  std::uint64_t missed() const noexcept { return inner_.missed(); }
  std::chrono::nanoseconds period() const noexcept { return inner_.period(); }

  // How many calls the current batch has.
  std::uint32_t batch() const noexcept { return batch_; }

 private:
  [[gnu::noinline]] bool ask() noexcept;

  std::uint32_t left_ = 1;  // calls until the end of the batch, at least 1
  std::uint32_t batch_ = 1;
  Inner inner_;
  double budget_;                   // nanoseconds that a batch may take
  std::chrono::nanoseconds since_;  // when the clock last moved
  double calls_ = 0;                // since then
};

// Throws base::Error unless it is above 0 and at most 1.
void check_lateness(double lateness);

template <ClockedTicker Inner>
template <class... Arguments>
BatchedTicker<Inner>::BatchedTicker(double lateness, Arguments&&... arguments)
    : inner_(std::forward<Arguments>(arguments)...),
      budget_(lateness / 2 * static_cast<double>(inner_.period().count())),
      since_(inner_.last()) {
  check_lateness(lateness);
}

template <ClockedTicker Inner>
bool BatchedTicker<Inner>::ask() noexcept {
  const bool ticked = inner_.tick();
  const std::chrono::nanoseconds now = inner_.last();
  calls_ += batch_;
  double fitting = 2.0 * batch_;
  if (now != since_) {
    // A clock that went back says nothing about the pace.
    fitting =
        now < since_
            ? 1
            : std::min(fitting, calls_ * budget_ / static_cast<double>(tick_distance(since_, now)));
    since_ = now;
    calls_ = 0;
  }
  batch_ = static_cast<std::uint32_t>(std::clamp<double>(fitting, 1, kLargestBatch));
  left_ = batch_;
  return ticked;
}

// A counter that mostly runs evenly, and a clock to check it by.
template <class C>
concept TickCounter = TickClock<C> && requires(C& counter) {
  { counter.ticks() } -> std::same_as<std::uint64_t>;
};

// Counts until it is worth looking at the clock. For counters of some 0.5 to 10 ticks a nanosecond.
//
// The clock alone decides what is due, so nothing that the counter does makes a tick early or moves
// a due moment. The counter's rate is measured between looks, over and over, and believed when two
// measurements agree; no time is spent on it in the constructor. The counter is trusted for half of
// the remaining time, then for half of what remains at the next look, and so on down to
// kLastStretch, for all of it. So even when the rate falls to half of what was measured, no tick is
// later than kLastStretch and one call. A counter that steps back to before the last look causes
// one at once; one that steps back by less delays it by no more than the stretch it was in; after
// kMostCalls there is a look in any case.
template <TickCounter Counter>
class CountingTicker {
 public:
  static constexpr std::chrono::microseconds kLastStretch{20};
  static constexpr std::chrono::seconds kLongestStretch{1};
  static constexpr std::uint32_t kMostCalls = 1U << 16U;

  explicit CountingTicker(std::chrono::nanoseconds period, Counter counter = {})
      : counter_(std::move(counter)),
        anchor_time_(counter_.now()),
        grid_(anchor_time_, period),
        anchor_(counter_.ticks()),
        looked_(anchor_) {}

  bool tick() noexcept {
    const std::uint64_t ticks = counter_.ticks();
    // Unsigned: what lies before the last look is far away from it, too.
    if (ticks - looked_ < stretch_ && --calls_ != 0) return false;
    return look();
  }

  std::uint64_t missed() const noexcept { return grid_.missed(); }
  std::chrono::nanoseconds period() const noexcept { return grid_.period(); }

  // How often the counter was found to have jumped, or its rate to have doubled or halved, so that
  // what was known of it was dropped.
  std::uint64_t recalibrations() const noexcept { return recalibrations_; }

 private:
  // Enough for the rate to be right within 1%, at 100 ns from reading one to reading the other.
  static constexpr std::chrono::microseconds kWindow{20};
  static constexpr std::uint64_t kBlindStretch = 4096;  // ticks, 1 or 2 us

  [[gnu::noinline]] bool look() noexcept;
  void calibrate(std::uint64_t ticks, std::chrono::nanoseconds now) noexcept;
  std::uint64_t stretch_from(std::chrono::nanoseconds now) const noexcept;

  Counter counter_;
  // Where the measurement of the rate begins.
  std::chrono::nanoseconds anchor_time_;
  TickGrid grid_;
  std::uint64_t anchor_;
  double measured_ = 0;  // ticks in a nanosecond, the last time; 0: not yet
  double rate_ = 0;      // the same, believed; 0: none

  std::uint64_t looked_;  // the counter at the last look
  std::uint64_t stretch_ = kBlindStretch;
  std::uint32_t calls_ = kMostCalls;  // until the next look, at least 1
  std::uint64_t recalibrations_ = 0;
};

template <TickCounter Counter>
bool CountingTicker<Counter>::look() noexcept {
  const std::chrono::nanoseconds now = counter_.now();
  // Read again: the thread may have slept, and migrated, since the first.
  const std::uint64_t ticks = counter_.ticks();
  const bool due = grid_.due(now);
  calibrate(ticks, now);
  looked_ = ticks;
  stretch_ = stretch_from(now);
  calls_ = kMostCalls;
  return due;
}

template <TickCounter Counter>
void CountingTicker<Counter>::calibrate(std::uint64_t ticks,
                                        std::chrono::nanoseconds now) noexcept {
  const bool stepped_back = ticks < anchor_ || now < anchor_time_;
  const std::uint64_t passed = tick_distance(anchor_time_, now);
  if (!stepped_back && passed < tick_distance({}, kWindow)) return;
  const double rate = static_cast<double>(ticks - anchor_) / static_cast<double>(passed);
  anchor_ = ticks;
  anchor_time_ = now;
  if (stepped_back) {
    ++recalibrations_;
    measured_ = rate_ = 0;
    return;
  }
  const bool agrees = rate <= 2 * measured_ && rate >= measured_ / 2;
  if (measured_ > 0 && !agrees) ++recalibrations_;
  measured_ = rate;
  rate_ = agrees ? rate : 0;
}

template <TickCounter Counter>
std::uint64_t CountingTicker<Counter>::stretch_from(std::chrono::nanoseconds now) const noexcept {
  constexpr double kMost = 0x1p62;
  if (rate_ <= 0) return kBlindStretch;
  const std::uint64_t remaining = tick_distance(now, grid_.next());
  const std::uint64_t trusted =
      remaining <= tick_distance({}, kLastStretch) ? remaining : remaining / 2;
  const std::uint64_t stretch = std::min(trusted, tick_distance({}, kLongestStretch));
  return static_cast<std::uint64_t>(std::min(rate_ * static_cast<double>(stretch), kMost)) + 1;
}

// x86-64's time-stamp counter with the steady clock.
class TscTime : public SteadyTime {
 public:
  // Throws base::Error where it is not available.
  TscTime();

  // Whether the processor is x86-64 and promises that the counter keeps its rate in all states of
  // power (CPUID 0x80000007, EDX bit 8).
  [[nodiscard]] static bool available() noexcept;

  std::uint64_t ticks() const noexcept {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
  }
};

class TscTicker : public CountingTicker<TscTime> {
 public:
  // Throws base::Error where it is not available().
  explicit TscTicker(std::chrono::nanoseconds period) : CountingTicker(period) {}

  [[nodiscard]] static bool available() noexcept { return TscTime::available(); }
};

}  // namespace fathom::rt
