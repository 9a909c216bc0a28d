#include "net/client/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fathom::bench {
namespace {

using std::chrono::nanoseconds;

TEST(RoundTrips, are_summed_up_by_times_that_occurred) {
  std::vector<nanoseconds> times;
  for (int i = 100; i >= 1; --i) times.emplace_back(i);
  const RoundTrips trips = summarize(times);
  EXPECT_DOUBLE_EQ(trips.mean, 50.5e-9);
  EXPECT_DOUBLE_EQ(trips.p50, 50e-9);
  EXPECT_DOUBLE_EQ(trips.p99, 99e-9);
  EXPECT_DOUBLE_EQ(trips.max, 100e-9);
}

TEST(RoundTrips, of_a_single_message_are_all_the_same) {
  const RoundTrips trips = summarize({nanoseconds(7)});
  EXPECT_DOUBLE_EQ(trips.mean, 7e-9);
  EXPECT_DOUBLE_EQ(trips.p50, 7e-9);
  EXPECT_DOUBLE_EQ(trips.p99, 7e-9);
  EXPECT_DOUBLE_EQ(trips.max, 7e-9);
}

TEST(RoundTrips, of_no_message_are_zero) {
  EXPECT_EQ(summarize({}).max, 0);
}

TEST(Spread, of_few_values_is_all_of_them_and_not_sure) {
  const Spread spread = spread_of({3, 1, 2, 10});
  EXPECT_DOUBLE_EQ(spread.median, 2.5);
  EXPECT_DOUBLE_EQ(spread.low, 1);
  EXPECT_DOUBLE_EQ(spread.high, 10);
  EXPECT_FALSE(spread.sure);
}

TEST(Spread, leaves_out_what_order_statistics_allow) {
  // The ranks of the exact binomial interval: 1..6 of 6, 2..8 of 9, 2..9 of 10, 6..15 of 20.
  const auto ranks = [](int count) {
    std::vector<double> values;
    for (int i = 1; i <= count; ++i) values.push_back(i);
    const Spread spread = spread_of(values);
    EXPECT_TRUE(spread.sure);
    return std::pair(spread.low, spread.high);
  };
  EXPECT_EQ(ranks(6), std::pair(1.0, 6.0));
  EXPECT_EQ(ranks(9), std::pair(2.0, 8.0));
  EXPECT_EQ(ranks(10), std::pair(2.0, 9.0));
  EXPECT_EQ(ranks(20), std::pair(6.0, 15.0));
}

TEST(Spread, holds_the_true_median_as_often_as_it_says) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> skewed;
  const double truth = std::log(2);
  int held = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> values(9);
    for (double& value : values) value = skewed(random);
    const Spread spread = spread_of(values);
    held += spread.low <= truth && truth <= spread.high;
  }
  EXPECT_GT(held, 1880);  // 96.1 % are expected
  EXPECT_LT(held, 1960);
}

TEST(Spread, of_nothing_is_zero) {
  EXPECT_EQ(spread_of({}).median, 0);
}

}  // namespace
}  // namespace fathom::bench
