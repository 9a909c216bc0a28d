// Empty directories: those that are known to be empty.

#include <gtest/gtest.h>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

TEST(EmptyDirs, AreThoseWithoutEntriesByPath) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.directory(top, "b", {.mtime = -5});
  const DirId a = made.directory(top, "a", {.mtime = 1});
  made.directory(a, "empty", {.mtime = 2});
  made.directory(top, "a.b", {.mtime = 3});
  const DirId full = made.directory(top, "full");
  made.file(full, "file");
  const Reported of(made.finish());
  EXPECT_EQ(lines(empty_dirs(of.input())), (Lines{"t/a.b 3", "t/a/empty 2", "t/b -5"}));
}

TEST(EmptyDirs, MayBeARoot) {
  HandMadeTree made;
  made.root("/t", {.mtime = 7});
  const Reported of(made.finish());
  EXPECT_EQ(lines(empty_dirs(of.input())), Lines{"/t 7"});
}

TEST(EmptyDirs, DoNotIncludeUnreadableOnes) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.mark_incomplete(made.directory(top, "unreadable"));
  const Reported of(made.finish());
  EXPECT_EQ(lines(empty_dirs(of.input())), Lines{});
}

TEST(EmptyDirs, AreListedOnceWhenTwoRootsReachThem) {
  HandMadeTree made;
  const Entry top{.inode = 7};
  const Entry empty{.inode = 8};
  made.directory(made.root("t", top), "empty", empty);
  made.directory(made.root("t", top), "empty", empty);
  const Reported of(made.finish());
  EXPECT_EQ(lines(empty_dirs(of.input()), {"path"}), Lines{"t/empty"});
}

}  // namespace
}  // namespace fathom::fs
