// Metrics: a row for every directory.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

TEST(Metrics, DescribeEachDirectory) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1, .blocks = 1});
  const DirId in = made.directory(top, "in", {.size = 2, .blocks = 2});
  made.file(in, "file", {.size = 4, .blocks = 4});
  made.file(in, "link", {.size = 8, .mode = S_IFLNK | 0777});
  made.file(top, "fifo", {.mode = S_IFIFO | 0600});
  made.file(in, "kept", {.size = 16, .blocks = 1, .inode = 7, .links = 2});
  made.mark_incomplete(in);
  const Reported of(made.finish());
  EXPECT_EQ(lines(metrics(of.input())), (Lines{"t 0 2 2 1 1 6 4096 31 3584 15 512 16 yes",
                                               "t/in 1 2 1 1 0 4 3584 30 3072 14 512 16 yes"}));
}

TEST(Metrics, HaveARowForEachDirectoryByPath) {
  HandMadeTree made;
  const DirId b = made.root("b");
  const DirId a = made.root("a");
  made.directory(made.directory(b, "x"), "y");
  made.directory(b, "x-");
  made.directory(b, "x0");
  made.directory(a, "z");
  const Reported of(made.finish());
  EXPECT_EQ(lines(metrics(of.input()), {"path", "depth"}),
            (Lines{"a 0", "a/z 1", "b 0", "b/x 1", "b/x- 1", "b/x/y 2", "b/x0 1"}));
}

TEST(Metrics, OmitDirectoriesCountedElsewhere) {
  HandMadeTree made;
  const Entry top{.inode = 7};
  made.root("t", top);
  made.root("t", top);
  made.file_root("f");
  const Reported of(made.finish());
  EXPECT_EQ(lines(metrics(of.input()), {"path"}), Lines{"t"});
}

// The table would grow with the square of the depth.
TEST(Metrics, LeaveOutPathsThatNoSystemCallTakes) {
  constexpr std::size_t kName = 64;
  HandMadeTree made;
  const DirId top = made.root("/");
  DirId at = made.directory(top, std::string(kLongestPath - 1, 'a'));  // with the slash: the limit
  made.directory(top, std::string(kLongestPath, 'b'));
  for (int level = 0; level < 3; ++level) at = made.directory(at, std::string(kName, 'c'));
  made.file(at, "file", {.size = 4});
  const Reported of(made.finish());
  const Table table = metrics(of.input());
  EXPECT_EQ(table.too_long(), 4U);
  EXPECT_EQ(lines(table, {"depth", "files"}), (Lines{"0 1", "1 1"}));
}

}  // namespace
}  // namespace fathom::fs
