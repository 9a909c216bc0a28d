// RoundTrips: mean and quantiles of sorted times.

#include "net/client/round_trips.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace fathom::bench {

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

}  // namespace fathom::bench
