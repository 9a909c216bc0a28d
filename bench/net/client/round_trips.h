// RoundTrips: the times of one measurement's messages, from sending to the complete answer.

#pragma once

#include <chrono>
#include <vector>

namespace fathom::bench {

// A time in seconds.
inline double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// In seconds.
struct RoundTrips {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

// A quantile is one of the measured times: the smallest that at least this share of all times does
// not exceed. Everything is 0 if there are no round trips.
RoundTrips summarize(std::vector<std::chrono::nanoseconds> round_trips);

}  // namespace fathom::bench
