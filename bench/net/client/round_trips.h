// RoundTrips: how long the messages of one measurement took, from a client's sending to its answer.

#pragma once

#include <chrono>
#include <vector>

namespace fathom::bench {

// In seconds.
struct RoundTrips {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

// A quantile is a time that occurred: the smallest that at least this share of all times does not
// exceed. Everything is 0 if there is no round trip.
RoundTrips summarize(std::vector<std::chrono::nanoseconds> round_trips);

}  // namespace fathom::bench
