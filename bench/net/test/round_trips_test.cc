// Tests of the mean and the quantiles of round trips.

#include "net/client/round_trips.h"

#include <gtest/gtest.h>

namespace fathom::bench {
namespace {

using std::chrono::nanoseconds;

TEST(RoundTrips, AreSummarizedByMeasuredTimes) {
  std::vector<nanoseconds> times;
  for (int i = 100; i >= 1; --i) times.emplace_back(i);
  const RoundTrips trips = summarize(times);
  EXPECT_DOUBLE_EQ(trips.mean, 50.5e-9);
  EXPECT_DOUBLE_EQ(trips.p50, 50e-9);
  EXPECT_DOUBLE_EQ(trips.p99, 99e-9);
  EXPECT_DOUBLE_EQ(trips.max, 100e-9);
}

TEST(RoundTrips, OfASingleMessageAreAllEqual) {
  const RoundTrips trips = summarize({nanoseconds(7)});
  EXPECT_DOUBLE_EQ(trips.mean, 7e-9);
  EXPECT_DOUBLE_EQ(trips.p50, 7e-9);
  EXPECT_DOUBLE_EQ(trips.p99, 7e-9);
  EXPECT_DOUBLE_EQ(trips.max, 7e-9);
}

TEST(RoundTrips, OfNoMessageAreZero) {
  EXPECT_EQ(summarize({}).max, 0);
}

}  // namespace
}  // namespace fathom::bench
