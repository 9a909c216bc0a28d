// Recent: the latest modified entries, the latest first.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

using std::chrono::seconds;

Lines paths(const Reported& of, seconds within) {
  return lines(recent(of.input(), within), {"path"});
}

TEST(Recent, ListsTheLatestFirstAndTheLimitItself) {
  HandMadeTree made;
  const DirId top = made.root("t", {.mtime = kNow});
  made.file(top, "now", {.mtime = kNow});
  made.file(top, "at the limit", {.mtime = kNow - 60});
  made.file(top, "too old", {.mtime = kNow - 61});
  made.file(top, "between", {.mtime = kNow - 30});
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(paths(of, seconds(60)), (Lines{"t/now", "t/between", "t/at the limit"}));
}

TEST(Recent, ListsTimesInTheFutureLastAndMarksThem) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "next second", {.mtime = kNow + 1});
  made.file(top, "now", {.mtime = kNow});
  made.file(top, "next year", {.mtime = kNow + 365 * 86'400});
  made.file(top, "before", {.mtime = kNow - 5});
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(lines(recent(of.input(), seconds(5)), {"path", "future"}),
            (Lines{"t/now no", "t/before no", "t/next year yes", "t/next second yes"}));
}

TEST(Recent, ListsEveryKindButDirectories) {
  HandMadeTree made;
  const DirId top = made.root("t", {.mtime = kNow});
  made.directory(top, "dir", {.mtime = kNow});
  made.file(top, "fifo", {.mtime = kNow - 1, .mode = S_IFIFO | 0600});
  made.file(top, "link", {.mtime = kNow - 2, .mode = S_IFLNK | 0777});
  made.file(top, "file", {.size = 5, .blocks = 2, .mtime = kNow - 3});
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(lines(recent(of.input(), seconds(9))),
            (Lines{"t/fifo 1799999999 0 0 no", "t/link 1799999998 0 0 no",
                   "t/file 1799999997 1024 5 no"}));
}

TEST(Recent, OrdersOneSecondByPathInBytes) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.file(top, "b", {.mtime = kNow});
  made.file(a, "z", {.mtime = kNow});
  made.file(top, "a.txt", {.mtime = kNow});
  made.file(top, "\xff", {.mtime = kNow});
  made.file(a, "y", {.mtime = kNow});
  made.file(top, "late", {.mtime = kNow + 1});
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(paths(of, seconds(0)), (Lines{"t/a.txt", "t/a/y", "t/a/z", "t/b", "t/\xff", "t/late"}));
}

TEST(Recent, ListsAnInodeOnceAtThePathThatOwnsIt) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.inode = 7, .mtime = kNow, .links = 2};
  made.file(top, "b", linked);
  made.file(top, "a", linked);
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(paths(of, seconds(0)), Lines{"t/a"});
}

TEST(Recent, AcceptsEveryPossibleTime) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "-1", {.mtime = -1});
  made.file(top, "0", {.mtime = 0});
  made.file(top, "2400", {.mtime = 13'569'465'600});
  made.file(top, "first", {.mtime = kFirst});
  made.file(top, "last", {.mtime = kLast});
  const Reported of(made.finish(), Measure::disk, kNow);
  EXPECT_EQ(paths(of, seconds(0)), (Lines{"t/last", "t/2400"}));
  EXPECT_EQ(paths(of, seconds(kNow)), (Lines{"t/0", "t/last", "t/2400"}));
  EXPECT_EQ(paths(of, seconds(kNow + 1)), (Lines{"t/0", "t/-1", "t/last", "t/2400"}));
  EXPECT_EQ(paths(of, seconds(kLast)), (Lines{"t/0", "t/-1", "t/last", "t/2400"}));
}

TEST(Recent, ReachesBackToTheFirstSecondWhenNowIsNegative) {
  HandMadeTree made;
  made.file(made.root("t"), "first", {.mtime = kFirst});
  const Reported of(made.finish(), Measure::disk, -2);
  EXPECT_EQ(paths(of, seconds(kLast)), Lines{"t/first"});
  EXPECT_EQ(paths(of, seconds(1000)), Lines{});
}

}  // namespace
}  // namespace fathom::fs
