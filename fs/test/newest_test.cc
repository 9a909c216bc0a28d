// Newest: the time of a directory is the latest of what it contains.

#include "fathom/fs/newest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

std::int64_t newest(const Tree& tree, std::string_view path, std::int64_t latest = kNow) {
  return Newest(tree, latest).below(directory_at(tree, find_node(tree, path)));
}

TEST(Newest, IsTheLatestTimeBelow) {
  HandMadeTree made;
  const DirId top = made.root("t", {.mtime = 10});
  const DirId old = made.directory(top, "old", {.mtime = 20});
  made.file(old, "f", {.mtime = -5});
  const DirId deep = made.directory(made.directory(top, "a", {.mtime = 1}), "b", {.mtime = 2});
  made.file(deep, "f", {.mtime = 30});
  const Tree tree = made.finish();
  EXPECT_EQ(newest(tree, "t"), 30);
  EXPECT_EQ(newest(tree, "t/a"), 30);
  EXPECT_EQ(newest(tree, "t/a/b"), 30);
  EXPECT_EQ(newest(tree, "t/old"), 20);  // its own
}

TEST(Newest, OfSeveralRootsAreApart) {
  HandMadeTree made;
  made.file(made.root("a", {.mtime = 1}), "f", {.mtime = 2});
  made.root("b", {.mtime = 1});
  made.file_root("file", {.mtime = 9});
  const Tree tree = made.finish();
  EXPECT_EQ(newest(tree, "a"), 2);
  EXPECT_EQ(newest(tree, "b"), 1);
}

TEST(Newest, IgnoresTimesAfterTheLatest) {
  HandMadeTree made;
  const DirId top = made.root("t", {.mtime = 10});
  made.file(top, "wrong clock", {.mtime = kNow + 1});
  made.file(top, "now", {.mtime = kNow});
  made.directory(top, "only wrong", {.mtime = kLast});
  const Tree tree = made.finish();
  EXPECT_EQ(newest(tree, "t"), kNow);
  EXPECT_EQ(newest(tree, "t/only wrong"), kUnknownTime);
  EXPECT_EQ(newest(tree, "t", kLast), kLast);
}

TEST(Newest, IgnoresUnknownTimesAndUncountedEntries) {
  HandMadeTree made;
  const DirId top = made.root("t", {.mtime = 10});
  made.file(top, "unknown", {.mtime = kUnknownTime});
  const DirId filtered = made.directory(top, "filtered", {.mtime = 99});
  made.mark(filtered, kFilteredOut);
  made.file(filtered, "f", {.mtime = 11});
  const Tree tree = made.finish();
  EXPECT_EQ(newest(tree, "t"), 11);
  EXPECT_EQ(newest(tree, "t/filtered"), 11);
}

}  // namespace
}  // namespace fathom::fs
