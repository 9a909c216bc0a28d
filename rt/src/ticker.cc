// Tickers: due times, the coarse clock, and the time-stamp counter.

#include "fathom/rt/ticker.h"

#include <time.h>

#include <string>

#include "fathom/base/error.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace fathom::rt {

using std::chrono::nanoseconds;

TickGrid::TickGrid(nanoseconds start, nanoseconds period) : period_(period), next_(start) {
  if (period <= nanoseconds(0)) {
    throw base::Error("a ticker's period must be positive, not " + std::to_string(period.count()) +
                      " ns");
  }
  next_ = base::deadline_after(start, period);
}

bool TickGrid::pass(nanoseconds now) noexcept {
  if (next_ == nanoseconds::max()) return false;
  // now >= next_, so that all of it stays below now but for the last step.
  const std::uint64_t passed =
      tick_distance(next_, now) / static_cast<std::uint64_t>(period_.count());
  missed_ += passed;
  const std::uint64_t last = static_cast<std::uint64_t>(next_.count()) +
                             passed * static_cast<std::uint64_t>(period_.count());
  next_ = base::deadline_after(nanoseconds(static_cast<std::int64_t>(last)), period_);
  return true;
}

nanoseconds CoarseTime::now() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
#else
  return SteadyTime::now();
#endif
}

void check_lateness(double lateness) {
  if (lateness > 0 && lateness <= 1) return;  // false for NaN
  throw base::Error("a batched ticker must be late by more than 0 and at most 1 period, not " +
                    std::to_string(lateness));
}

bool TscTime::available() noexcept {
#ifdef __x86_64__
  constexpr unsigned kPower = 0x80000007;
  constexpr unsigned kInvariant = 1U << 8U;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(kPower, &eax, &ebx, &ecx, &edx) != 0 && (edx & kInvariant) != 0;
#else
  return false;
#endif
}

TscTime::TscTime() {
  if (!available()) throw base::Error("this processor has no invariant time-stamp counter");
}

}  // namespace fathom::rt
