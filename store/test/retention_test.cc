// Retention: which snapshots the rules keep.

#include "fathom/store/retention.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "stored.h"

namespace fathom::store {
namespace {

// A letter for each snapshot, the oldest first: those that the rules keep.
std::string kept(const std::vector<StoredSnapshot>& all, std::string_view rules) {
  const auto parsed = parse_keep(rules);
  EXPECT_TRUE(parsed) << rules;
  std::string letters;
  for (std::size_t i = 0; i < all.size(); ++i) letters += static_cast<char>('a' + i);
  const std::vector<std::size_t> gone = expired(all, *parsed);
  for (auto index = gone.rbegin(); index != gone.rend(); ++index) letters.erase(*index, 1);
  return letters;
}

std::vector<StoredSnapshot> at(const std::vector<std::int64_t>& times) {
  std::vector<StoredSnapshot> all;
  for (const std::int64_t time : times) all.push_back({.name = "", .meta = meta_at(time)});
  return all;
}

TEST(Retention, KeepsTheNewestOfEachHour) {
  const auto all = at({utc(2026, 11, 23, 5, 10), utc(2026, 11, 23, 6, 0), utc(2026, 11, 23, 6, 59),
                       utc(2026, 11, 23, 7, 0), utc(2026, 11, 23, 7, 1)});
  EXPECT_EQ(kept(all, "1h"), "e");
  EXPECT_EQ(kept(all, "2h"), "ce");
  EXPECT_EQ(kept(all, "3h"), "ace");
  EXPECT_EQ(kept(all, "100h"), "ace");
}

TEST(Retention, CountsOnlyDaysThatHaveOne) {
  const auto all = at({utc(2025, 1, 1), utc(2026, 11, 1), utc(2026, 11, 20, 8),
                       utc(2026, 11, 20, 9), utc(2026, 11, 23)});
  EXPECT_EQ(kept(all, "2d"), "de");
  EXPECT_EQ(kept(all, "3d"), "bde");
  EXPECT_EQ(kept(all, "4d"), "abde");
}

// 2026-11-22 was a Sunday.
TEST(Retention, BeginsWeeksOnMonday) {
  const auto all =
      at({utc(2026, 11, 15, 23), utc(2026, 11, 16), utc(2026, 11, 22, 23), utc(2026, 11, 23)});
  EXPECT_EQ(kept(all, "1w"), "d");
  EXPECT_EQ(kept(all, "2w"), "cd");
  EXPECT_EQ(kept(all, "3w"), "acd");
}

TEST(Retention, KeepsTheNewestOfEachMonth) {
  const auto all = at(
      {utc(2025, 11, 30), utc(2025, 12, 1), utc(2025, 12, 31), utc(2026, 1, 1), utc(2026, 11, 1)});
  EXPECT_EQ(kept(all, "1m"), "e");
  EXPECT_EQ(kept(all, "3m"), "cde");
  EXPECT_EQ(kept(all, "12m"), "acde");
}

TEST(Retention, KeepsWhatAnyRuleKeeps) {
  std::vector<std::int64_t> times;
  for (int hour = 0; hour < 24 * 40; ++hour)
    times.push_back(utc(2026, 10, 1) + hour * 3'600'000'000'000);
  const auto all = at(times);
  const auto rules = parse_keep("24h,7d,4w,12m");
  ASSERT_TRUE(rules);
  // All hours of Monday, the 9th of November; 6 more days; the ends of 4 weeks, 2 of them among
  // those; the ends of 2 months, one of them the newest.
  EXPECT_EQ(all.size() - expired(all, *rules).size(), 24U + 6 + 2 + 1);
}

TEST(Retention, AlwaysKeepsTheNewestAndThoseWithATag) {
  auto all = at({utc(2026, 1, 1), utc(2026, 1, 2), utc(2026, 1, 3)});
  all[0].meta.tag = "before";
  EXPECT_EQ(kept(all, "1m"), "ac");
}

TEST(Retention, JudgesEachSeriesAlone) {
  auto all = at({utc(2026, 1, 1), utc(2026, 1, 2), utc(2026, 1, 3), utc(2026, 1, 4)});
  all[0].meta.roots = {"/home"};
  all[1].meta.host = "there";
  EXPECT_EQ(kept(all, "1d"), "abd");
  all[2].meta.roots = {"/srv", "/home"};
  EXPECT_EQ(kept(all, "1d"), "abcd");
  all[3].meta.roots = {"/home", "/srv"};
  EXPECT_EQ(kept(all, "1d"), "abd");
}

TEST(Retention, JudgesEachSelectionAlone) {
  auto all = at({utc(2026, 1, 1), utc(2026, 1, 2), utc(2026, 1, 2, 1), utc(2026, 1, 2, 2)});
  all[1].meta.selection = all[3].meta.selection = {"--only=*.log"};
  EXPECT_EQ(kept(all, "1d"), "cd");
}

TEST(Retention, DoesNotJudgeTheOrderOfOptions) {
  auto all = at({utc(2026, 1, 1), utc(2026, 1, 1, 1)});
  const auto are_one_series = [&](std::vector<std::string> before, std::vector<std::string> after) {
    all[0].meta.selection = std::move(before);
    all[1].meta.selection = std::move(after);
    return kept(all, "1d") == "b";
  };
  EXPECT_TRUE(are_one_series({"--type=f", "--exclude=*.o", "--exclude=!a.o"},
                             {"--exclude=*.o", "--type=f", "--exclude=!a.o"}));
  EXPECT_FALSE(
      are_one_series({"--exclude=*.o", "--exclude=!a.o"}, {"--exclude=!a.o", "--exclude=*.o"}));
  EXPECT_FALSE(are_one_series({"--exclude=*.o", "--exclude-from=/rules"},
                              {"--exclude-from=/rules", "--exclude=*.o"}));
  EXPECT_FALSE(
      are_one_series({"--min-size=1k", "--min-size=2k"}, {"--min-size=2k", "--min-size=1k"}));
}

TEST(Retention, PrefersTheNewestCompleteSnapshotOfEachUnit) {
  auto all = at({utc(2026, 1, 1), utc(2026, 1, 1, 1), utc(2026, 1, 1, 2), utc(2026, 1, 2),
                 utc(2026, 1, 2, 1), utc(2026, 1, 3), utc(2026, 1, 3, 1)});
  for (const std::size_t incomplete : {2, 3, 4, 6}) all[incomplete].meta.errors = 1;
  EXPECT_EQ(kept(all, "3d"), "befg");
  EXPECT_EQ(kept(all, "1m"), "fg");
}

TEST(Retention, KnowsTimesBefore1970) {
  const auto all =
      at({utc(1969, 12, 28, 23), utc(1969, 12, 29), utc(1969, 12, 31, 23), utc(1970, 1, 1)});
  EXPECT_EQ(kept(all, "1d"), "d");
  EXPECT_EQ(kept(all, "2d"), "cd");
  EXPECT_EQ(kept(all, "2w"), "ad");  // Monday was the 29th
}

TEST(Retention, OfNothingIsNothing) {
  EXPECT_TRUE(expired({}, *parse_keep("1h")).empty());
}

TEST(Keep, IsAListOfNumbersWithUnits) {
  const auto rules = parse_keep("24h,7d,4w,12m");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->hours, 24U);
  EXPECT_EQ(rules->days, 7U);
  EXPECT_EQ(rules->weeks, 4U);
  EXPECT_EQ(rules->months, 12U);
  EXPECT_EQ(parse_keep("3m,1h")->months, 3U);
  for (const char* text : {"", "7", "d", "0d", "-1d", "+1d", "7D", "7d,", ",7d", "7d,,1h", "7d,7d",
                           "7d 1h", "7.5d", "1y", "1s", "1000001d", "99999999999999999999d"}) {
    EXPECT_FALSE(parse_keep(text)) << text;
  }
}

}  // namespace
}  // namespace fathom::store
