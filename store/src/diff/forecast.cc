// Forecast: least squares, Student's t, and inverse regression.

#include "fathom/store/forecast.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace fathom::store {

namespace {

constexpr double kDay = 86'400;                  // seconds
constexpr double kLastSecond = 253'402'300'799;  // of the year 9999

double used_by(const FilesystemUse& use) {
  return static_cast<double>(use.size - std::min(use.free, use.size));
}

// The probability that |T| <= t: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3
// and 26.7.4.
double central_probability(double t, std::size_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double square = std::cos(angle) * std::cos(angle);
  const bool odd = freedom % 2 != 0;
  double term = odd ? std::cos(angle) : 1;
  double sum = 0;
  for (std::size_t k = 1; k <= freedom / 2; ++k) {
    sum += term;
    const auto twice = static_cast<double>(2 * k);
    term *= square * (odd ? twice / (twice + 1) : (twice - 1) / twice);
  }
  sum *= std::sin(angle);
  return odd ? 2 / std::numbers::pi * (angle + sum) : sum;
}

// A straight line through the used bytes. Times are relative to their mean, bytes to theirs.
struct Line {
  double mean_time = 0;  // seconds since the epoch
  double mean_bytes = 0;
  double squares = 0;    // the sum of the squares of the relative times
  double slope = 0;      // bytes per second
  double deviation = 0;  // of the points from the line: the standard error of the regression
  double factor = 0;     // Student's t
  double points = 0;

  // Half of the width of the interval of the slope.
  [[nodiscard]] double slope_error() const { return factor * deviation / std::sqrt(squares); }
};

Line line_through(std::span<const FilesystemUse> uses) {
  Line line;
  line.points = static_cast<double>(uses.size());
  // Relative to the first, so that the sums are exact enough.
  const auto first_time = static_cast<double>(uses.front().time);
  const double first_bytes = used_by(uses.front());
  double times = 0;
  double bytes = 0;
  for (const FilesystemUse& use : uses) {
    times += static_cast<double>(use.time) - first_time;
    bytes += used_by(use) - first_bytes;
  }
  line.mean_time = first_time + times / line.points;
  line.mean_bytes = first_bytes + bytes / line.points;
  double products = 0;
  for (const FilesystemUse& use : uses) {
    const double time = static_cast<double>(use.time) - line.mean_time;
    line.squares += time * time;
    products += time * (used_by(use) - line.mean_bytes);
  }
  if (line.squares == 0) return line;
  line.slope = products / line.squares;
  double residuals = 0;
  for (const FilesystemUse& use : uses) {
    const double time = static_cast<double>(use.time) - line.mean_time;
    const double residual = used_by(use) - line.mean_bytes - line.slope * time;
    residuals += residual * residual;
  }
  line.deviation = std::sqrt(residuals / (line.points - 2));
  line.factor = student_t_95(uses.size() - 2);
  return line;
}

std::int64_t second_of(double seconds, std::int64_t earliest) {
  const double latest = std::min(seconds, kLastSecond);
  return std::max(earliest, static_cast<std::int64_t>(std::llround(latest)));
}

// When the line reaches so many used bytes. Requires: the slope is larger than its error.
Estimate<double> reaches(const Line& line, double level) {
  const double rise = level - line.mean_bytes;
  const double spread = line.factor * line.deviation;
  const double divisor = line.slope * line.slope - spread * spread / line.squares;
  const double half =
      spread * std::sqrt((1 + 1 / line.points) * divisor + rise * rise / line.squares);
  return {.expected = line.mean_time + rise / line.slope,
          .least = line.mean_time + (line.slope * rise - half) / divisor,
          .most = line.mean_time + (line.slope * rise + half) / divisor};
}

std::string without_number(std::size_t points) {
  return "a forecast needs at least " + std::to_string(kFewestForForecast) +
         " snapshots, and there " + (points == 1 ? "is 1" : "are " + std::to_string(points));
}

}  // namespace

double student_t_95(std::size_t freedom) {
  constexpr double kProbability = 0.95;
  double least = 0;
  double most = 13;  // 12.706 for 1 degree of freedom, less for more
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (least + most) / 2;
    (central_probability(middle, freedom) < kProbability ? least : most) = middle;
  }
  return most;
}

Forecast forecast_of(std::span<const FilesystemUse> uses) {
  Forecast forecast;
  forecast.points = uses.size();
  const auto none = [&forecast](std::string why) {
    forecast.why_none = std::move(why);
    return forecast;
  };
  if (uses.empty()) return none("the snapshots do not say how large the filesystem is");
  const FilesystemUse& last = uses.back();
  forecast.size = last.size;
  forecast.available = last.available;
  if (last.available == 0) return none("the filesystem is full");
  if (uses.size() < kFewestForForecast) return none(without_number(uses.size()));
  const bool resized = std::any_of(uses.begin(), uses.end(), [&last](const FilesystemUse& use) {
    return use.size != last.size;
  });
  if (resized) return none("the size of the filesystem changed between the snapshots");
  const Line line = line_through(uses);
  if (line.squares == 0) return none("all snapshots have the same time");
  const double error = line.slope_error();
  forecast.bytes_per_day = {.expected = line.slope * kDay,
                            .least = (line.slope - error) * kDay,
                            .most = (line.slope + error) * kDay};
  if (line.slope + error < 0) return none("the filesystem becomes emptier");
  if (line.slope - error <= 0) {
    return none("the growth of the filesystem cannot be distinguished from zero (95 % confidence)");
  }
  const Estimate<double> full = reaches(line, used_by(last) + static_cast<double>(last.available));
  const auto end = static_cast<double>(last.time);
  if (full.expected - end > kLongestForecast * (end - static_cast<double>(uses.front().time))) {
    return none("at this rate, it is full later than " + std::to_string(kLongestForecast) +
                " times the time between the first snapshot and the last");
  }
  forecast.full = {.expected = second_of(full.expected, last.time),
                   .least = second_of(full.least, last.time),
                   .most = second_of(full.most, last.time)};
  return forecast;
}

}  // namespace fathom::store
