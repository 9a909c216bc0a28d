#include "net/client/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fathom::bench {

namespace {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// How many values of each end may be left out, so that the interval of the others misses the median
// with at most 5 %. That is when too many fell on one side of it, as coins do.
std::size_t left_out(std::size_t count) {
  double chance = std::pow(0.5, static_cast<double>(count));  // of none below
  double missed = 0;
  std::size_t out = 0;
  for (std::size_t below = 0; below < count / 2; ++below) {
    missed += 2 * chance;
    if (missed > 0.05) break;
    out = below;
    chance *= static_cast<double>(count - below) / static_cast<double>(below + 1);
  }
  return out;
}

}  // namespace

RoundTrips summarize(std::vector<std::chrono::nanoseconds> round_trips) {
  if (round_trips.empty()) return {};
  std::sort(round_trips.begin(), round_trips.end());
  const auto count = static_cast<double>(round_trips.size());
  const auto quantile = [&](double share) {
    const auto place = static_cast<std::size_t>(std::ceil(share * count));
    return seconds(round_trips[std::max<std::size_t>(place, 1) - 1]);
  };
  const auto sum =
      std::accumulate(round_trips.begin(), round_trips.end(), std::chrono::nanoseconds(0));
  return {seconds(sum) / count, quantile(0.5), quantile(0.99), seconds(round_trips.back())};
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  const double median =
      count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
  const std::size_t out = left_out(count);
  return {median, values[out], values[count - 1 - out], count >= 6};
}

double median_of(std::vector<double> values) {
  return spread_of(std::move(values)).median;
}

}  // namespace fathom::bench
