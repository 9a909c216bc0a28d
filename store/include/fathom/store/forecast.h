// Forecast: when a filesystem will be full if it fills up as it did between its snapshots.
//
// A straight line is fitted to the used bytes over time by least squares. The filesystem is full
// where the line reaches the used plus the available bytes of the last snapshot. The 95 % interval
// of that time is the one of inverse regression for a single further observation (Draper and Smith,
// Applied Regression Analysis, 3rd edition, section 3.2). It assumes that the deviations from the
// line are independent, so it is too narrow if usage changes in steps.
//
//   Forecast forecast = forecast_of(points);
//   if (forecast.full) forecast.full->expected; else forecast.why_none;

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fathom::store {

// Fewer snapshots give no forecast. A line through three of them leaves one degree of freedom,
// for which the factor of the interval is 12.7, so what passes is mostly points that are on a line
// by chance. With five, it is 3.2.
inline constexpr std::size_t kFewestForForecast = 5;

// A forecast looks ahead at most so many times as far as the snapshots look back.
inline constexpr int kLongestForecast = 5;

// What a snapshot says about a filesystem, in bytes.
struct FilesystemUse {
  std::int64_t time = 0;  // seconds since the epoch
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  std::uint64_t available = 0;  // to unprivileged users
};

// A value, and the limits of its 95 % interval.
template <class Value>
struct Estimate {
  Value expected{};
  Value least{};
  Value most{};
};

struct Forecast {
  std::string mount_point = {};  // of the filesystem; empty if unknown; bytes
  std::uint64_t size = 0;        // in the last snapshot, in bytes, as are the next
  std::uint64_t available = 0;   // to unprivileged users
  std::size_t points = 0;        // the snapshots that it is based on
  std::optional<Estimate<double>> bytes_per_day = {};  // by which the used bytes grow
  // When nothing is available any more, in seconds since the epoch; not before the last snapshot,
  // and not after the year 9999.
  std::optional<Estimate<std::int64_t>> full = {};
  std::string why_none = {};  // a sentence without a full stop, if `full` is unknown
};

// Makes a forecast from what snapshots say about the same filesystem, the oldest first. There is
// none from fewer than kFewestForForecast, if the size of the filesystem changed, if zero is within
// the interval of the growth or above it, and if it would look ahead too far.
[[nodiscard]] Forecast forecast_of(std::span<const FilesystemUse> uses);

// ---- For tests

// The t for which a variable of Student's distribution is within [-t, t] with a probability of
// 95 %. Requires: freedom is not 0.
[[nodiscard]] double student_t_95(std::size_t freedom);

}  // namespace fathom::store
