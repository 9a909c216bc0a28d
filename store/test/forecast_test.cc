// Forecasts agree with values that scipy computed, and there are none where data do not support
// one.

#include "fathom/store/forecast.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace fathom::store {
namespace {

constexpr std::int64_t kStart = 1'750'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// A filesystem of 100 GiB of which 5 GiB are reserved, so and so many days after the start.
FilesystemUse use_of(double day, double used_gib) {
  const auto used = static_cast<std::uint64_t>(used_gib * static_cast<double>(kGiB));
  return {.time = kStart + static_cast<std::int64_t>(day * kDaySeconds),
          .size = 100 * kGiB,
          .free = 100 * kGiB - used,
          .available = 95 * kGiB - used};
}

std::vector<FilesystemUse> uses_of(const std::vector<std::pair<double, double>>& points) {
  std::vector<FilesystemUse> uses;
  for (const auto& [day, used] : points) uses.push_back(use_of(day, used));
  return uses;
}

// The days after the start.
double day_of(std::int64_t time) {
  return static_cast<double>(time - kStart) / kDaySeconds;
}

double gib(double bytes) {
  return bytes / static_cast<double>(kGiB);
}

// python3 -c 'from scipy.stats import t; [print(n, t.ppf(0.975, n)) for n in (1, 2, 3, 4, 5, 10,
// 29, 30, 100, 1000)]'
TEST(Forecast, UsesStudentsT) {
  const std::vector<std::pair<std::size_t, double>> expected = {
      {1, 12.70620473617},  {2, 4.30265272975},   {3, 3.18244630528},  {4, 2.77644510520},
      {5, 2.57058183564},   {10, 2.22813885199},  {29, 2.04522964213}, {30, 2.04227245630},
      {100, 1.98397151852}, {1000, 1.96233908083}};
  for (const auto& [freedom, value] : expected) {
    EXPECT_NEAR(student_t_95(freedom), value, 1e-9 * value) << freedom;
  }
}

// from scipy.stats import linregress, t
// from scipy.optimize import brentq
// import numpy as np
// x = np.array([0, 1, 2, 3.5, 5, 6]); y = np.array([60, 61.4, 61.9, 63.6, 65.2, 65.9]); n = len(x)
// r = linregress(x, y); q = t.ppf(0.975, n - 2); sxx = ((x - x.mean())**2).sum()
// s = (((y - r.intercept - r.slope * x)**2).sum() / (n - 2))**0.5
// line = lambda d: r.intercept + r.slope * d - 95
// half = lambda d: q * s * (1 + 1/n + (d - x.mean())**2 / sxx)**0.5
// print(r.slope, r.slope - q * r.stderr, r.slope + q * r.stderr)
// print(brentq(line, 0, 1e3), brentq(lambda d: line(d) + half(d), 6, 1e3),
//       brentq(lambda d: line(d) - half(d), 6, 1e3))
TEST(Forecast, IsThatOfInverseRegression) {
  const Forecast forecast =
      forecast_of(uses_of({{0, 60}, {1, 61.4}, {2, 61.9}, {3.5, 63.6}, {5, 65.2}, {6, 65.9}}));
  ASSERT_TRUE(forecast.full) << forecast.why_none;
  EXPECT_EQ(forecast.points, 6U);
  EXPECT_EQ(forecast.why_none, "");
  EXPECT_NEAR(gib(forecast.bytes_per_day->expected), 0.981316998, 1e-6);
  EXPECT_NEAR(gib(forecast.bytes_per_day->least), 0.868769520, 1e-6);
  EXPECT_NEAR(gib(forecast.bytes_per_day->most), 1.093864477, 1e-6);
  EXPECT_NEAR(day_of(forecast.full->expected), 35.525905119, 1e-4);
  EXPECT_NEAR(day_of(forecast.full->least), 32.115330927, 1e-4);
  EXPECT_NEAR(day_of(forecast.full->most), 39.805788156, 1e-4);
}

TEST(Forecast, OfAStraightLineIsExact) {
  const Forecast forecast = forecast_of(uses_of({{0, 50}, {10, 60}, {20, 70}, {30, 80}, {40, 90}}));
  ASSERT_TRUE(forecast.full) << forecast.why_none;
  EXPECT_NEAR(day_of(forecast.full->expected), 45, 1e-4);
  EXPECT_NEAR(day_of(forecast.full->least), 45, 1e-4);
  EXPECT_NEAR(day_of(forecast.full->most), 45, 1e-4);
  EXPECT_EQ(forecast.available, 5 * kGiB);
  EXPECT_EQ(forecast.size, 100 * kGiB);
}

// The interval begins before it, because the points are far from the line.
TEST(Forecast, IsNotBeforeTheLastSnapshot) {
  const Forecast forecast =
      forecast_of(uses_of({{0, 10}, {1, 30}, {2, 48}, {3, 71}, {4, 89}, {5, 94.5}}));
  ASSERT_TRUE(forecast.full) << forecast.why_none;
  EXPECT_GE(forecast.full->least, kStart + 5 * kDaySeconds);
  EXPECT_GE(forecast.full->expected, forecast.full->least);
  EXPECT_GE(forecast.full->most, forecast.full->expected);
}

// ---- None

void expect_none(const std::vector<FilesystemUse>& uses, const std::string& why) {
  const Forecast forecast = forecast_of(uses);
  EXPECT_FALSE(forecast.full);
  EXPECT_EQ(forecast.why_none, why);
}

TEST(Forecast, NeedsFiveSnapshots) {
  expect_none({}, "the snapshots do not say how large the filesystem is");
  expect_none(uses_of({{0, 50}}), "a forecast needs at least 5 snapshots, and there is 1");
  expect_none(uses_of({{0, 50}, {1, 60}, {2, 70}, {3, 80}}),
              "a forecast needs at least 5 snapshots, and there are 4");
}

TEST(Forecast, NeedsDifferentTimes) {
  expect_none(uses_of({{0, 50}, {0, 60}, {0, 70}, {0, 80}, {0, 90}}),
              "all snapshots have the same time");
}

TEST(Forecast, NeedsAFilesystemOfOneSize) {
  auto uses = uses_of({{0, 50}, {1, 60}, {2, 70}, {3, 80}, {4, 90}});
  uses[1].size += kGiB;
  uses[1].free += kGiB;
  expect_none(uses, "the size of the filesystem changed between the snapshots");
}

TEST(Forecast, IsNotMadeIfNothingIsAvailable) {
  expect_none(uses_of({{0, 50}, {1, 60}, {2, 70}, {3, 80}, {4, 95}}), "the filesystem is full");
}

TEST(Forecast, NeedsGrowth) {
  const std::string untold =
      "the growth of the filesystem cannot be distinguished from zero (95 % confidence)";
  expect_none(uses_of({{0, 50}, {1, 50}, {2, 50}, {3, 50}, {4, 50}}), untold);
  expect_none(uses_of({{0, 50}, {1, 70}, {2, 40}, {3, 66}, {4, 55}}), untold);
  expect_none(uses_of({{0, 50}, {1, 49}, {2, 48}, {3, 47.1}, {4, 46}}),
              "the filesystem becomes emptier");
}

TEST(Forecast, TellsTheRateEvenIfItLooksTooFarAhead) {
  // 35 days from the last snapshot, which is 4 days after the first.
  const auto uses = uses_of({{0, 56}, {1, 57}, {2, 58}, {3, 59}, {4, 60}});
  expect_none(uses,
              "at this rate, it is full later than 5 times the time between the first snapshot and "
              "the last");
  EXPECT_NEAR(gib(forecast_of(uses).bytes_per_day->expected), 1, 1e-9);
}

TEST(Forecast, EndsWithTheYear9999) {
  std::vector<FilesystemUse> uses;
  for (int i = 0; i < 5; ++i) {
    uses.push_back({.time = i * 50'000'000'000,
                    .size = 100,
                    .free = static_cast<std::uint64_t>(100 - 10 * i),
                    .available = static_cast<std::uint64_t>(100 - 10 * i)});
  }
  const Forecast forecast = forecast_of(uses);
  ASSERT_TRUE(forecast.full);
  EXPECT_EQ(forecast.full->expected, 253'402'300'799);
}

}  // namespace
}  // namespace fathom::store
