// Clock: the current time, elapsed time, seconds and nanoseconds, and durations as text.
//
// Durations use the monotonic clock, which cannot be set; dates use the wall clock, which can. Safe
// to call from any thread.
//
//   Stopwatch watch;
//   scan();
//   say("took " + format_duration(watch.elapsed()));  // "took 850 ms"

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <type_traits>

namespace fathom::base {

using MonotonicClock = std::chrono::steady_clock;

// Never decreases. Comparable only with values of the same boot of the machine.
inline MonotonicClock::time_point monotonic_now() noexcept {
  return MonotonicClock::now();
}

// time + duration, at most Time::max(), which means never: clocks end after 292 years. A negative
// duration counts as none. Time is a time point, or a duration since some origin. The duration
// counts in integers of any size, and its unit is a multiple of Time's.
template <class Time, class Rep, class Period>
constexpr Time deadline_after(Time time, std::chrono::duration<Rep, Period> duration) noexcept {
  // Wide enough for all that is left of the clock, which 32 bits are not.
  using Unit = std::chrono::duration<std::common_type_t<Rep, std::int64_t>, Period>;
  const auto rest = Time::max() - std::max(time, Time());  // cannot overflow
  const Unit wide = std::max(duration, duration.zero());
  if (wide > std::chrono::duration_cast<Unit>(rest)) return Time::max();
  return time + wide;
}

// Whole seconds since 1970-01-01 UTC, comparable with file times. It may jump in either direction.
inline std::int64_t wall_now() noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The same in nanoseconds.
inline std::int64_t wall_now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Nanoseconds since 1970 as whole seconds, rounded down: those before 1970 to the earlier second.
constexpr std::int64_t whole_seconds(std::int64_t nanoseconds) noexcept {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(nanoseconds)).count();
}

// A file time in nanoseconds since 1970. One that is more than 292 years away becomes the last or
// the first that fits.
constexpr std::int64_t to_nanoseconds(std::int64_t seconds, std::int64_t rest = 0) noexcept {
  std::int64_t time = 0;
  const bool too_far = __builtin_mul_overflow(seconds, std::int64_t{1'000'000'000}, &time) ||
                       __builtin_add_overflow(time, rest, &time);
  if (!too_far) return time;
  return seconds < 0 ? std::numeric_limits<std::int64_t>::min()
                     : std::numeric_limits<std::int64_t>::max();
}

// The CPU time that all threads of the process have used so far.
inline std::chrono::nanoseconds processor_time() noexcept {
  struct timespec used = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Measures elapsed time from its construction. Reading it does not stop it.
class Stopwatch {
 public:
  std::chrono::nanoseconds elapsed() const noexcept { return monotonic_now() - start_; }
  double seconds() const noexcept { return std::chrono::duration<double>(elapsed()).count(); }
  void restart() noexcept { start_ = monotonic_now(); }

 private:
  MonotonicClock::time_point start_ = monotonic_now();
};

// Formats a duration in the one or two units that matter, rounded to the nearest, halves up:
// "12 ns", "850 us", "850 ms", "3.42 s", "2 m 05 s", "1 h 02 m", "3 d 04 h".
//
// A value that rounds up to one of the next unit is written in that unit: "1.00 s", never
// "1000 ms". A negative duration, which only a wall clock can produce, is written as "0 ns".
inline std::string format_duration(std::chrono::nanoseconds duration) {
  constexpr std::int64_t kMicro = 1'000, kMilli = 1'000'000, kCenti = 10'000'000;
  constexpr std::int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute;
  const std::int64_t ns = duration.count() < 0 ? 0 : duration.count();
  // Adding half a unit first could overflow at the end of the range.
  const auto rounded = [ns](std::int64_t unit) {
    return ns / unit + (ns % unit >= unit - ns % unit);
  };
  const auto two_digits = [](std::int64_t n) {
    return std::string{static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)};
  };

  if (ns < kMicro) return std::to_string(ns) + " ns";
  if (const auto us = rounded(kMicro); us < 1000) return std::to_string(us) + " us";
  if (const auto ms = rounded(kMilli); ms < 1000) return std::to_string(ms) + " ms";
  if (const auto cs = rounded(kCenti); cs < 6000) {
    return std::to_string(cs / 100) + '.' + two_digits(cs % 100) + " s";
  }
  if (const auto s = rounded(kSecond); s < 3600) {
    return std::to_string(s / 60) + " m " + two_digits(s % 60) + " s";
  }
  if (const auto m = rounded(kMinute); m < 24 * 60) {
    return std::to_string(m / 60) + " h " + two_digits(m % 60) + " m";
  }
  const auto h = rounded(kHour);
  return std::to_string(h / 24) + " d " + two_digits(h % 24) + " h";
}

}  // namespace fathom::base
