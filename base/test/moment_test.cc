// Tests of the parser of ages and dates.

#include "fathom/base/moment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string>

namespace fathom::base {
namespace {

// Sets the time zone of the process for the duration of a test.
class Zone {
 public:
  explicit Zone(const char* name) {
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    ::unsetenv("TZ");
    ::tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
};

std::int64_t second(const std::string& text, std::int64_t now = 0) {
  const auto moment = parse_moment(text);
  if (!moment) throw std::runtime_error("no moment: " + text);
  return moment->before(now);
}

TEST(Moment, OfAnAgeIsCountedFromNow) {
  EXPECT_EQ(second("1d", 1'000'000), 1'000'000 - 86'400);
  EXPECT_EQ(second("90s", 0), -90);
  EXPECT_EQ(second("1s", std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Moment, OfADateIsInLocalTime) {
  {
    const Zone utc("UTC0");
    EXPECT_EQ(second("1970-01-01"), 0);
    EXPECT_EQ(second("1969-12-31T23:59:59"), -1);  // the error value of mktime()
    EXPECT_EQ(second("2024-02-29T12:34:56"), 1'709'210'096);
    EXPECT_EQ(second("9999-12-31T23:59:59"), 253'402'300'799);
    EXPECT_EQ(second("0001-01-01"), -62'135'596'800);
  }
  const Zone east("EST5");
  EXPECT_EQ(second("1970-01-01"), 5 * 3600);
}

TEST(Moment, OfADayIsItsStartInLocalTime) {
  {
    const Zone utc("UTC0");
    EXPECT_EQ(second("today", 1'709'210'096), second("2024-02-29"));
    EXPECT_EQ(second("yesterday", 1'709'210'096), second("2024-02-28"));
    EXPECT_EQ(second("yesterday", 86'400), 0);
    EXPECT_EQ(second("yesterday", 86'399), -86'400);
  }
  const Zone east("EST5");
  EXPECT_EQ(second("today", second("2024-03-01T23:59:59")), second("2024-03-01"));
  EXPECT_EQ(second("yesterday", second("2024-03-01")), second("2024-02-29"));
}

TEST(Moment, OfADayHasTheHoursOfThatDay) {
  const Zone zone("EST5EDT,M3.2.0,M11.1.0");
  EXPECT_EQ(second("today", second("2026-03-09")) - second("yesterday", second("2026-03-09")),
            23 * 3600);
  EXPECT_EQ(second("today", second("2026-11-02")) - second("yesterday", second("2026-11-02")),
            25 * 3600);
}

TEST(Moment, OfADayExistsForEveryNow) {
  const Zone utc("UTC0");
  constexpr std::numeric_limits<std::int64_t> kLimits;
  EXPECT_EQ(second("today", kLimits.max()), kLimits.max());
  EXPECT_EQ(second("yesterday", kLimits.min()), kLimits.min());
}

TEST(Moment, CanOmitSecondsOrUseABlankForTheT) {
  const Zone utc("UTC0");
  EXPECT_EQ(second("2024-02-29T12:34"), second("2024-02-29T12:34:00"));
  EXPECT_EQ(second("2024-02-29 12:34"), second("2024-02-29T12:34:00"));
  EXPECT_EQ(second("2024-02-29 12:34:56"), second("2024-02-29T12:34:56"));
}

TEST(Moment, CanBeSecondsSinceTheEpoch) {
  const Zone east("EST5");
  EXPECT_EQ(second("@0", 77), 0);
  EXPECT_EQ(second("@1767225600"), 1'767'225'600);
  EXPECT_EQ(second("@-1"), -1);
}

TEST(Moment, OfADateDoesNotDependOnNow) {
  EXPECT_EQ(second("2024-02-29", 5), second("2024-02-29", 500'000));
}

TEST(Moment, HasNoOtherForm) {
  for (const char* text : {"",
                           "7",
                           "now",
                           "Today",
                           "tomorrow",
                           "yesterday ",
                           "2023-02-29",
                           "2024-02-30",
                           "2024-13-01",
                           "2024-00-01",
                           "2024-01-00",
                           "0000-01-01",
                           "2024-1-1",
                           "2024-01-01T",
                           "2024-01-01T00",
                           "2024-01-01T24:00:00",
                           "2024-01-01T00:60",
                           "@",
                           "@x",
                           "@1 ",
                           "@1.5",
                           "@9223372036854775808",
                           "12:00",
                           "2024-01-01T00:60:00",
                           "2024-01-01T00:00:60",
                           "2024-01-01\t00:00:00",
                           "2024/01/01",
                           "+024-01-01",
                           "2024-01-01Z"}) {
    EXPECT_FALSE(parse_moment(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace fathom::base
