// Histogram: the number of files of each size class.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

Lines classes(const Reported& of) {
  return lines(histogram(of.input()), {"at_least", "below", "files"});
}

TEST(Histogram, HasAClassForEachPowerOfFour) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1'000'000});
  for (const std::uint64_t size : {0, 0, 1, 3, 4, 15, 16}) {
    made.file(top, "f" + std::to_string(made.last_inode()), {.size = size});
  }
  made.file(top, "link", {.size = 100, .mode = S_IFLNK | 0777});
  const Reported of(made.finish());
  EXPECT_EQ(classes(of), (Lines{"0 1 2", "1 4 2", "4 16 2", "16 64 1"}));
}

TEST(Histogram, OmitsEmptyClassesAtItsEndsOnly) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.size = 4, .blocks = 2});
  made.file(top, "b", {.size = 300, .blocks = 4});
  made.file(top, "c", {.size = 256});
  made.file(top, "d", {.size = 1023});
  const Reported of(made.finish());
  EXPECT_EQ(lines(histogram(of.input())), (Lines{"4 16 1 1024 4 0.25", "16 64 0 0 0 0",
                                                 "64 256 0 0 0 0", "256 1024 3 2048 1579 0.75"}));
}

TEST(Histogram, ReachesTheLargestPossibleSize) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.size = kMost, .blocks = kMost});
  made.file(top, "b", {.size = 1ULL << 62, .blocks = kMost});
  made.file(top, "c", {.size = (1ULL << 62) - 1});
  const Reported of(made.finish());
  EXPECT_EQ(lines(histogram(of.input()), {"at_least", "below", "files", "apparent_bytes"}),
            (Lines{"1152921504606846976 4611686018427387904 1 4611686018427387903",
                   "4611686018427387904 - 2 18446744073709551615"}));
}

TEST(Histogram, OfNoFilesIsEmpty) {
  HandMadeTree made;
  made.root("t");
  const Reported of(made.finish());
  EXPECT_EQ(classes(of), Lines{});
}

TEST(Histogram, CountsAnInodeOnce) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.size = 5, .inode = 7, .links = 2};
  made.file(top, "a", linked);
  made.file(top, "b", linked);
  const Reported of(made.finish());
  EXPECT_EQ(classes(of), Lines{"4 16 1"});
}

}  // namespace
}  // namespace fathom::fs
