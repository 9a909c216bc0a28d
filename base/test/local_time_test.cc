// Local time: which dates are parsed, and the moments they name.

#include "fathom/base/local_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace fathom::base {
namespace {

class LocalTime : public ::testing::Test {
 protected:
  // An hour ahead of UTC in winter, two in summer.
  void SetUp() override { set_zone("CET-1CEST,M3.5.0,M10.5.0/3"); }
  void TearDown() override { set_zone(nullptr); }

  static void set_zone(const char* zone) {
    zone == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", zone, 1);
    ::tzset();
  }
};

TEST_F(LocalTime, IsADayAMinuteOrASecond) {
  EXPECT_EQ(parse_local_date("2026-01-31")->length, 86'400);
  EXPECT_EQ(parse_local_date("2026-01-31T08:00")->length, 60);
  EXPECT_EQ(parse_local_date("2026-01-31 08:00:01")->length, 1);
  EXPECT_EQ(parse_local_date("1970-01-02T00:00:01")->seconds, 86'401);
  for (const char* text : {"", "2026-02-29", "2026-1-1", "2026-01-01T24:00", "2026-01-01T08",
                           "0000-01-01", "2026-01-01T08:60", "2026-01-01x"}) {
    EXPECT_FALSE(parse_local_date(text)) << text;
  }
}

TEST_F(LocalTime, DependsOnTheTimeZone) {
  EXPECT_EQ(from_local(parse_local_date("2026-01-01")->seconds), 1'767'222'000);
  EXPECT_EQ(from_local(parse_local_date("2026-07-01")->seconds), 1'782'856'800);
  EXPECT_EQ(to_local_minute(1'767'222'000), "2026-01-01 00:00");
  EXPECT_EQ(to_local_minute(1'782'856'859), "2026-07-01 00:00");
}

// In a loop, because the C library remembers what the time zone did at the date before.
TEST_F(LocalTime, IsTheEarlierMomentIfTheClockShowsItTwiceAfterAnyOtherDate) {
  for (const char* const other : {"2026-01-01", "2026-07-01", "2027-01-01", "2027-07-01"}) {
    (void)from_local(parse_local_date(other)->seconds);
    EXPECT_EQ(from_local(parse_local_date("2026-10-25T02:30")->seconds), 1'792'888'200) << other;
    EXPECT_EQ(to_local_minute(1'792'888'200), "2026-10-25 02:30");
    EXPECT_EQ(to_local_minute(1'792'888'200 + 3600), "2026-10-25 02:30");
  }
}

TEST_F(LocalTime, IsShownAnHourLaterIfTheClockSkipsItAfterAnyOtherDate) {
  for (const char* const other : {"2026-01-01", "2026-07-01", "2027-01-01", "2027-07-01"}) {
    (void)from_local(parse_local_date(other)->seconds);
    EXPECT_EQ(from_local(parse_local_date("2026-03-29T02:30")->seconds), 1'774'747'800) << other;
    EXPECT_EQ(to_local_minute(1'774'747'800), "2026-03-29 03:30");
  }
}

TEST_F(LocalTime, IsWhatTheClockShowsAroundItsChanges) {
  for (const char* const shown : {"2026-03-29 01:59", "2026-03-29 03:00", "2026-10-25 01:59",
                                  "2026-10-25 02:00", "2026-10-25 02:59", "2026-10-25 03:00"}) {
    EXPECT_EQ(to_local_minute(from_local(parse_local_date(shown)->seconds)), shown);
  }
}

}  // namespace
}  // namespace fathom::base
