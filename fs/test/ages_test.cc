// Ages: totals by age and owner.

#include "report/ages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

constexpr std::int64_t kDay = 86'400;

OwnerNames names() {
  const auto name_of = [](std::uint32_t id) -> std::optional<std::string> {
    if (id == 1) return "ann";
    return std::nullopt;
  };
  return {.user = name_of, .group = name_of};
}

TEST(Ages, AreOfEveryoneThenOfEachUserTheLargestFirst) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 2, .mtime = kNow, .uid = 2});
  made.file(top, "a", {.size = 1, .blocks = 4, .mtime = kNow - 3 * kDay, .uid = 1});
  made.file(top, "b", {.size = 2, .blocks = 2, .mtime = kNow, .uid = 1});
  const Reported of(made.finish(), Measure::disk, kNow);
  const std::string day = " 1 day 1799913600 1800000000 ";
  const std::string week = " 1 week 1799395200 1799913599 ";
  EXPECT_EQ(lines(ages(of.input(), names())),
            (Lines{"- -" + day + "1 2 2048 2 0.5", "- -" + week + "1 1 2048 1 0.5",
                   "1 ann" + day + "1 1 1024 2 0.25", "1 ann" + week + "1 1 2048 1 0.5",
                   "2 -" + day + "0 1 1024 0 0.25"}));
}

// The age of one file, and its limits.
std::string age_of(std::int64_t mtime, std::int64_t now = kNow) {
  HandMadeTree made;
  made.file_root("f", {.mtime = mtime});
  const Reported of(made.finish(), Measure::disk, now);
  const Lines found = lines(ages(of.input(), names()), {"age"});
  EXPECT_EQ(found.size(), 2U);  // everyone, and the owner
  EXPECT_EQ(found.front(), found.back());
  return found.front();
}

TEST(Ages, EndWithTheirLastSecond) {
  EXPECT_EQ(age_of(kNow + 1), "future");
  EXPECT_EQ(age_of(kNow), "1 day");
  struct Limit {
    std::int64_t days;
    const char* until;
    const char* after;
  };
  for (const Limit& limit : {Limit{1, "1 day", "1 week"}, Limit{7, "1 week", "1 month"},
                             Limit{30, "1 month", "3 months"}, Limit{90, "3 months", "6 months"},
                             Limit{180, "6 months", "1 year"}, Limit{365, "1 year", "2 years"},
                             Limit{730, "2 years", "5 years"}, Limit{1825, "5 years", "older"}}) {
    EXPECT_EQ(age_of(kNow - limit.days * kDay), limit.until);
    EXPECT_EQ(age_of(kNow - limit.days * kDay - 1), limit.after);
  }
}

TEST(Ages, CoverEveryPossibleTime) {
  EXPECT_EQ(age_of(-1), "older");
  EXPECT_EQ(age_of(0), "older");
  EXPECT_EQ(age_of(13'569'465'600), "future");  // the year 2400
  EXPECT_EQ(age_of(kLast), "future");
  EXPECT_EQ(age_of(kFirst), "older");
  EXPECT_EQ(age_of(kFirst, kFirst), "1 day");
  EXPECT_EQ(age_of(kLast, kFirst), "future");
  EXPECT_EQ(age_of(kFirst, kLast), "older");
  EXPECT_EQ(age_of(-1, 0), "1 day");
}

TEST(Ages, HaveNoLimitAtEitherEndOfTime) {
  HandMadeTree made;
  const DirId top = made.root("t", {.mtime = kFirst, .uid = 1});
  made.file(top, "f", {.mtime = kLast, .uid = 1});
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(lines(ages(of.input(), names()), {"user", "age", "from", "until"}),
            (Lines{"- future 1800000001 -", "- older - 1642319999", "ann future 1800000001 -",
                   "ann older - 1642319999"}));
}

TEST(Ages, SaturateAndCountBytesOnce) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = kMost, .blocks = kMost, .mtime = kNow});
  const Entry linked{.size = kMost, .blocks = kMost, .inode = 7, .mtime = kNow, .links = 2};
  made.file(top, "a", linked);
  made.file(top, "b", linked);
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(lines(ages(of.input(), names()),
                  {"files", "entries", "disk_bytes", "apparent_bytes", "share"}),
            Lines(2, "2 3 18446744073709551615 18446744073709551615 1"));
}

}  // namespace
}  // namespace fathom::fs
