// Medians and what surrounds them.

#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace fathom::bench {

// What the round trips of one talk were like, in seconds.
struct RoundTrips {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

// Quantiles are times that occurred: the smallest that at least so many do not exceed. All 0
// without a round trip.
RoundTrips summarize(std::vector<std::chrono::nanoseconds> round_trips);

// A median, and the interval that holds the true one with at least 95 % (exact, by order
// statistics: no assumption about the noise). Fewer than 6 values say no such thing: then it is all
// that was seen, and `sure` is false.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
  bool sure = false;
};

// All 0 without a value.
Spread spread_of(std::vector<double> values);

double median_of(std::vector<double> values);

}  // namespace fathom::bench
