// The names of snapshots: which one each chooses, and what is said if there is none.

#include "fathom/store/snapshot_name.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/store/series.h"
#include "stored.h"

namespace fathom::store {
namespace {

class SnapshotName : public ::testing::Test {
 protected:
  // An hour ahead of UTC in winter, two in summer.
  static void SetUpTestSuite() { set_zone("CET-1CEST,M3.5.0,M10.5.0/3"); }
  static void TearDownTestSuite() { set_zone(nullptr); }

  static void set_zone(const char* zone) {
    zone == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", zone, 1);
    ::tzset();
  }

  void add(std::int64_t ended, const std::string& id, const std::string& tag = "",
           std::vector<std::string> roots = {"/srv"}) {
    StoredSnapshot snapshot{.name = "dir-" + id, .meta = meta_at(ended, id, std::move(roots))};
    snapshot.meta.tag = tag;
    all_.push_back(std::move(snapshot));
  }

  // The id of the snapshot, or the error.
  std::string find(std::string_view name, std::string_view path = {}) {
    try {
      return find_snapshot(all_, name, now_, path).meta.id;
    } catch (const base::Error& error) {
      return error.what();
    }
  }

  std::vector<StoredSnapshot> all_;
  std::int64_t now_ = utc(2026, 11, 23, 12);
};

TEST_F(SnapshotName, CountsBackFromTheLatest) {
  add(utc(2026, 11, 20), "aaaa1");
  add(utc(2026, 11, 21), "bbbb1");
  add(utc(2026, 11, 22), "cccc1");
  EXPECT_EQ(find("@latest"), "cccc1");
  EXPECT_EQ(find("latest"), "cccc1");
  EXPECT_EQ(find("@~0"), "cccc1");
  EXPECT_EQ(find("@~1"), "bbbb1");
  EXPECT_EQ(find("@~2"), "aaaa1");
  EXPECT_EQ(find("@~3"), "@~3 does not exist: there are only 3 snapshots of these paths");
}

TEST_F(SnapshotName, OfADayIsTheLastOneOfThatLocalDay) {
  add(utc(2026, 11, 19, 7), "aaaa1");
  add(utc(2026, 11, 20, 22, 59), "bbbb1");
  add(utc(2026, 11, 20, 23), "cccc1");  // midnight in local time
  EXPECT_EQ(find("@2026-11-20"), "bbbb1");
  EXPECT_EQ(find("@2026-11-21"), "cccc1");
  EXPECT_EQ(find("@2026-11-19"), "aaaa1");
  EXPECT_EQ(find("@2030-01-01"), "cccc1");
  EXPECT_EQ(find("@2026-11-18"),
            "no snapshot is of 2026-11-18 or before: the oldest is of 2026-11-19 08:00");
}

TEST_F(SnapshotName, OfAMinuteEndedInItOrBefore) {
  add(utc(2026, 11, 20, 14, 30), "aaaa1");
  add(utc(2026, 11, 20, 14, 31), "bbbb1");
  EXPECT_EQ(find("@2026-11-20T15:30"), "aaaa1");
  EXPECT_EQ(find("@2026-11-20 15:31"), "bbbb1");
  EXPECT_EQ(find("@2026-11-20T15:30:00"), "aaaa1");
  EXPECT_EQ(find("@2026-11-20T15:29:59"),
            "no snapshot is of 2026-11-20T15:29:59 or before: the oldest is of 2026-11-20 15:30");
}

// 2026-10-25 has 25 hours.
TEST_F(SnapshotName, OfADayWithAnotherLengthEndsWithIt) {
  add(utc(2026, 10, 25, 22, 30), "aaaa1");
  add(utc(2026, 10, 25, 23, 0), "bbbb1");
  EXPECT_EQ(find("@2026-10-25"), "aaaa1");
}

TEST_F(SnapshotName, OfAnAgeIsAtLeastThatOld) {
  add(utc(2026, 11, 9, 12), "aaaa1");
  add(utc(2026, 11, 16, 12), "bbbb1");
  add(utc(2026, 11, 23, 11), "cccc1");
  EXPECT_EQ(find("@7d"), "bbbb1");
  EXPECT_EQ(find("@1h"), "cccc1");
  EXPECT_EQ(find("@2h"), "bbbb1");
  EXPECT_EQ(find("@2w"), "aaaa1");
  EXPECT_EQ(find("@15d"), "no snapshot is 15d old: the oldest is of 2026-11-09 13:00");
  EXPECT_EQ(find("@3m"),
            "no snapshot has the tag '3m', or an id that begins so; the latest is dir-cccc1");
}

TEST_F(SnapshotName, MayBeATag) {
  add(utc(2026, 11, 20), "aaaa1", "monday");
  add(utc(2026, 11, 21), "bbbb1", "monday");
  add(utc(2026, 11, 22), "cccc1");
  EXPECT_EQ(find("@monday"), "bbbb1");
  EXPECT_EQ(find("monday"), "bbbb1");
}

TEST_F(SnapshotName, MayBeTheBeginningOfAnId) {
  add(utc(2026, 11, 20), "91ab3c0d00112233");
  add(utc(2026, 11, 21), "91ab770000000000");
  EXPECT_EQ(find("@91ab3"), "91ab3c0d00112233");
  EXPECT_EQ(find("91ab770000000000"), "91ab770000000000");
  EXPECT_EQ(find("dir-91ab770000000000"), "91ab770000000000");
  EXPECT_EQ(find("@91ab"),
            "'91ab' begins the ids of 2 snapshots, such as dir-91ab3c0d00112233 and "
            "dir-91ab770000000000");
  EXPECT_EQ(find("@91a"),
            "no snapshot has the tag '91a', or an id that begins so; the latest is "
            "dir-91ab770000000000");
  EXPECT_EQ(find("@"),
            "no snapshot has the tag '', or an id that begins so; the latest is "
            "dir-91ab770000000000");
}

// The first eight digits of each id are in the name of its directory.
TEST_F(SnapshotName, OfEightDigitsIsNeverAnAge) {
  add(utc(2026, 11, 20), "0654826d00112233");
  add(utc(2026, 11, 21), "0000012d00112233");
  add(utc(2026, 11, 22), "1000000d00112233");
  EXPECT_EQ(find("@0654826d"), "0654826d00112233");
  EXPECT_EQ(find("@0000012d"), "0000012d00112233");
  EXPECT_EQ(find("@1000000d"), "1000000d00112233");
}

TEST_F(SnapshotName, ConcernsTheSeriesOfThePath) {
  add(utc(2026, 11, 18), "aaaa1", "", {"/"});
  add(utc(2026, 11, 19), "bbbb1", "", {"/srv"});
  add(utc(2026, 11, 20), "cccc1", "", {"/srv"});
  add(utc(2026, 11, 21), "dddd1", "", {"/home", "/var"});
  EXPECT_EQ(find("@latest", "/srv"), "cccc1");
  EXPECT_EQ(find("@~1", "/srv/data"), "bbbb1");
  EXPECT_EQ(find("@latest", "/srvx"), "aaaa1");
  EXPECT_EQ(find("@latest", "/var/log"), "dddd1");
  EXPECT_EQ(find("@2026-11-19", "/srv"), "bbbb1");
  EXPECT_EQ(find("@aaaa", "/srv"), "aaaa1");  // an id is clear
  EXPECT_EQ(find("@latest"), "dddd1");
  EXPECT_EQ(find("@~1"), "@~1 does not exist: there is only one snapshot of these paths");
  EXPECT_EQ(find("@2026-11-19"), "bbbb1");
}

TEST_F(SnapshotName, OfAPathThatNoSnapshotContainsIsRefused) {
  add(utc(2026, 11, 18), "aaaa1", "", {"/srv"});
  EXPECT_EQ(find("@latest", "/home"), "no snapshot contains /home; the latest is dir-aaaa1");
}

TEST_F(SnapshotName, OfAnEmptyStoreIsRefused) {
  EXPECT_EQ(find("@latest"), "the store has no snapshots");
}

TEST_F(SnapshotName, OfASeriesOfTwoHostsIsTheNewestOne) {
  add(utc(2026, 11, 18), "aaaa1");
  add(utc(2026, 11, 19), "bbbb1");
  all_[0].meta.host = "there";
  EXPECT_EQ(series_of_path(all_, "/srv"), std::vector<std::size_t>{1});
  EXPECT_EQ(before_in_series(all_, 1), kNoSnapshot);
}

TEST_F(SnapshotName, OfASeriesDoesNotDependOnTheOrderOfRoots) {
  add(utc(2026, 11, 18), "aaaa1", "", {"/srv", "/home"});
  add(utc(2026, 11, 19), "bbbb1", "", {"/srv"});
  add(utc(2026, 11, 20), "cccc1", "", {"/home", "/srv", "/home"});
  EXPECT_EQ(find("@~1"), "aaaa1");
  EXPECT_EQ(series_of(all_, all_[2].meta), (std::vector<std::size_t>{0, 2}));
}

TEST(Tag, IsNotAnotherKindOfName) {
  for (const char* tag : {"a", "before-upgrade", "v1.2_3+4", "2026", "7days", "Z9", "12"}) {
    EXPECT_TRUE(is_tag(tag)) << tag;
  }
  for (const std::string& tag :
       {std::string(), std::string("latest"), std::string("now"), std::string("7d"),
        std::string("2026-11-20"), std::string("~1"), std::string("a b"), std::string("a/b"),
        std::string("@a"), std::string("-a"), std::string(".a"), std::string("\xc3\xa4"),
        std::string(65, 'a')}) {
    EXPECT_FALSE(is_tag(tag)) << tag;
  }
}

}  // namespace
}  // namespace fathom::store
