// Tests of dates and times in words.

#include "screen/words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fathom::tui {
namespace {

constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min() + 1;

TEST(Words, DaysAreExactForEveryTime) {
  constexpr std::int64_t kWholeDay = 24 * 60 * 60;
  EXPECT_EQ(days_between(kWholeDay, 3 * kWholeDay), 2U);
  EXPECT_EQ(days_between(kWholeDay, 2 * kWholeDay - 1), 0U);
  EXPECT_EQ(days_between(2 * kWholeDay, kWholeDay), 0U);
  EXPECT_EQ(days_between(kEarliest, 100 * kWholeDay), 106'751'991'167'400U);
  EXPECT_EQ(days_between(kEarliest, std::numeric_limits<std::int64_t>::max()),
            213'503'982'334'601U);
  EXPECT_EQ(moment_text(kEarliest, 100 * kWholeDay),
            "@-9223372036854775807 (106,751,991,167,400 days ago)");
}

}  // namespace
}  // namespace fathom::tui
