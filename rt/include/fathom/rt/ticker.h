// Tickers: periodic checks for hot loops that read the clock as seldom as possible.
//
// A ticker has a period, 1 ns to 292 years, and due times start + n * period, n >= 1, where start
// is the time of its construction. tick() returns true when at least one due time has passed since
// it last returned true. By the ticker's own clock it is never early, and due times never drift:
// being late for one does not shift the next. Due times that pass together with a later one do not
// get their own tick; they are counted as missed. Times beyond the end of the 64-bit nanosecond
// count are never due.
//
//   BatchedTicker<ClockTicker> ticker(0.01, 100ms);  // may be late by 1% of the period
//   while (step()) {
//     if (ticker.tick()) report();
//   }
//
//   ClockTicker    reads the steady clock at each call: exact to one call.
//   CoarseTicker   reads a cheaper clock, which advances in steps of some milliseconds.
//   TscTicker      reads the CPU's time-stamp counter, and the clock when a tick may be due.
//   BatchedTicker  asks one of the first two at every N-th call; N adapts to the pace of the loop.
//
// Constructors throw base::Error if the period is not positive. A ticker belongs to one thread, so
// nothing here is atomic or padded. Clocks are template parameters, so that tests can supply their
// own.

#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

#include "fathom/base/clock.h"

namespace fathom::rt {

// Time since some fixed moment. If it goes back, ticks wait until it has caught up.
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

// The due times, for a caller that knows the current time.
class TickGrid {
 public:
  // Throws base::Error.
  TickGrid(std::chrono::nanoseconds start, std::chrono::nanoseconds period);

  // The result of tick() at time `now`.
  bool due(std::chrono::nanoseconds now) noexcept { return now >= next_ && pass(now); }

  // The next due time; max() if there is none.
  std::chrono::nanoseconds next() const noexcept { return next_; }
  std::chrono::nanoseconds period() const noexcept { return period_; }
  std::uint64_t missed() const noexcept { return missed_; }

 private:
  bool pass(std::chrono::nanoseconds now) noexcept;

  std::chrono::nanoseconds period_;
  std::chrono::nanoseconds next_;
  std::uint64_t missed_ = 0;
};

// to - from, as an unsigned number that cannot overflow. Requires from <= to.
inline std::uint64_t tick_distance(std::chrono::nanoseconds from,
                                   std::chrono::nanoseconds to) noexcept {
  return static_cast<std::uint64_t>(to.count()) - static_cast<std::uint64_t>(from.count());
}

struct SteadyTime {
  static std::chrono::nanoseconds now() noexcept {
    return base::monotonic_now().time_since_epoch();
  }
};

// Linux's CLOCK_MONOTONIC_COARSE, which advances with the kernel's tick, every 1 to 10 ms; on other
// systems the steady clock.
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

  // The time that the clock returned in the last tick(), or in the constructor.
  std::chrono::nanoseconds last() const noexcept { return last_; }

 private:
  Clock clock_;
  std::chrono::nanoseconds last_;
  TickGrid grid_;
};

using ClockTicker = BasicTicker<SteadyTime>;
using CoarseTicker = BasicTicker<CoarseTime>;

// Asks another ticker once per batch of calls.
//
// A batch is sized to last at most half of `lateness` * period at the pace of the previous batch. A
// tick is therefore late by less than `lateness` * period, or than one call, unless a batch runs
// more than twice as slowly as the previous one; such a batch adds the excess, once. The first
// batch is one call; a batch is at most twice the previous one and at most kLargestBatch. A clock
// that advances in steps makes ticks late by up to four more steps.
template <ClockedTicker Inner>
class BatchedTicker {
 public:
  static constexpr std::uint32_t kLargestBatch = 1U << 16U;

  // The remaining arguments are passed to the inner ticker. Throws base::Error as the inner ticker
  // does, and if the lateness is not above 0 and at most 1.
  template <class... Arguments>
  explicit BatchedTicker(double lateness, Arguments&&... arguments);

  bool tick() noexcept {
    if (--left_ != 0) return false;
    return ask();
  }

  std::uint64_t missed() const noexcept { return inner_.missed(); }
  std::chrono::nanoseconds period() const noexcept { return inner_.period(); }

  // The number of calls in the current batch.
  std::uint32_t batch() const noexcept { return batch_; }

 private:
  [[gnu::noinline]] bool ask() noexcept;

  std::uint32_t left_ = 1;  // calls until the end of the batch, at least 1
  std::uint32_t batch_ = 1;
  Inner inner_;
  double budget_;                   // the most nanoseconds that a batch may take
  std::chrono::nanoseconds since_;  // when the clock last advanced
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

// A counter that usually runs at a constant rate, and a clock to check it against.
template <class C>
concept TickCounter = TickClock<C> && requires(C& counter) {
  { counter.ticks() } -> std::same_as<std::uint64_t>;
};

// Counts until the clock has to be read. For counters of about 0.5 to 10 ticks per nanosecond.
//
// Only the clock decides what is due, so no behaviour of the counter can make a tick early or shift
// a due time. The rate of the counter is measured repeatedly between reads of the clock, and used
// when two measurements agree; the constructor spends no time on it. The counter is trusted for
// half of the remaining time, then for half of what remains at the next read, and so on; for the
// last kLastStretch it is trusted for all of it. So even if the rate drops to half of the measured
// one, no tick is later than kLastStretch and one call. If the counter steps back to before the
// last read, the clock is read immediately; if it steps back by less, the tick is delayed by at
// most the current stretch; after kMostCalls calls the clock is read in any case.
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
    // Unsigned: a value before the last read is also far away from it.
    if (ticks - looked_ < stretch_ && --calls_ != 0) return false;
    return look();
  }

  std::uint64_t missed() const noexcept { return grid_.missed(); }
  std::chrono::nanoseconds period() const noexcept { return grid_.period(); }

  // How often the counter jumped, or its rate doubled or halved, so that the calibration was
  // discarded.
  std::uint64_t recalibrations() const noexcept { return recalibrations_; }

 private:
  // Long enough to measure the rate within 1%, given 100 ns between reading the counter and the
  // clock.
  static constexpr std::chrono::microseconds kWindow{20};
  static constexpr std::uint64_t kBlindStretch = 4096;  // ticks, 1 or 2 us

  [[gnu::noinline]] bool look() noexcept;
  void calibrate(std::uint64_t ticks, std::chrono::nanoseconds now) noexcept;
  std::uint64_t stretch_from(std::chrono::nanoseconds now) const noexcept;

  Counter counter_;
  // The start of the current measurement of the rate.
  std::chrono::nanoseconds anchor_time_;
  TickGrid grid_;
  std::uint64_t anchor_;
  double measured_ = 0;  // ticks per nanosecond, last measurement; 0: none yet
  double rate_ = 0;      // ticks per nanosecond, confirmed; 0: none

  std::uint64_t looked_;  // the counter at the last read of the clock
  std::uint64_t stretch_ = kBlindStretch;
  std::uint32_t calls_ = kMostCalls;  // until the next read of the clock, at least 1
  std::uint64_t recalibrations_ = 0;
};

template <TickCounter Counter>
bool CountingTicker<Counter>::look() noexcept {
  const std::chrono::nanoseconds now = counter_.now();
  // Read the counter again: the thread may have slept or migrated since the first read.
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

// The time-stamp counter of x86-64, with the steady clock.
class TscTime : public SteadyTime {
 public:
  // Throws base::Error if it is not available().
  TscTime();

  // Whether the processor is an x86-64 whose counter has a constant rate in all power states (CPUID
  // 0x80000007, EDX bit 8).
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
  // Throws base::Error if it is not available().
  explicit TscTicker(std::chrono::nanoseconds period) : CountingTicker(period) {}

  [[nodiscard]] static bool available() noexcept { return TscTime::available(); }
};

}  // namespace fathom::rt
