// Statistics: the deepest entry, the fullest directory, and the sizes of files.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

Lines of_sizes(const std::vector<std::uint64_t>& sizes) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1'000'000});
  for (const std::uint64_t size : sizes) {
    made.file(top, "f" + std::to_string(made.last_inode()), {.size = size});
  }
  const Reported of(made.finish());
  return lines(stats(of.input()), {"files", "mean_file_bytes", "median_file_bytes",
                                   "p90_file_bytes", "p99_file_bytes", "max_file_bytes"});
}

TEST(Stats, UseTheNearestRankForPercentiles) {
  EXPECT_EQ(of_sizes({7}), Lines{"1 7 7 7 7 7"});
  EXPECT_EQ(of_sizes({4, 1}), Lines{"2 2 1 4 4 4"});
  EXPECT_EQ(of_sizes({30, 10, 20}), Lines{"3 20 20 30 30 30"});
  EXPECT_EQ(of_sizes({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), Lines{"10 5 5 9 10 10"});
  std::vector<std::uint64_t> thousand;
  for (std::uint64_t i = 0; i < 1000; ++i) thousand.push_back(i * 7 % 1000 + 1);
  EXPECT_EQ(of_sizes(thousand), Lines{"1000 500 500 900 990 1000"});
}

TEST(Stats, ComputeTheMeanOfTheLargestSizes) {
  EXPECT_EQ(of_sizes({kMost, kMost, kMost}),
            Lines{"3 18446744073709551615 18446744073709551615 18446744073709551615 "
                  "18446744073709551615 18446744073709551615"});
  EXPECT_EQ(of_sizes({kMost, 0}), Lines{"2 9223372036854775807 0 18446744073709551615 "
                                        "18446744073709551615 18446744073709551615"});
  EXPECT_EQ(of_sizes({kMost, 0xffffffff, 1}),
            Lines{"3 6148914692668172970 4294967295 18446744073709551615 18446744073709551615 "
                  "18446744073709551615"});
}

TEST(Stats, CountRegularFilesOnce) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1'000'000});
  const Entry linked{.size = 5, .inode = 7, .links = 2};
  made.file(top, "a", linked);
  made.file(top, "b", linked);
  made.file(top, "link", {.size = 100, .mode = S_IFLNK | 0777});
  const Reported of(made.finish());
  EXPECT_EQ(lines(stats(of.input()), {"files", "mean_file_bytes", "max_file_bytes"}),
            Lines{"1 5 5"});
}

Lines shape(const Reported& of) {
  return lines(stats(of.input()), {"deepest_path", "depth", "largest_directory",
                                   "largest_directory_entries", "entries_per_directory"});
}

TEST(Stats, NameTheDeepestAndTheFullest) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  const DirId deep = made.directory(a, "deep");
  made.file(deep, "file");
  for (const char* name : {"1", "2", "3", "4"}) made.file(top, name);
  const Reported of(made.finish());
  EXPECT_EQ(shape(of), Lines{"t/a/deep/file 3 t 5 2"});  // 7 entries in 3 directories
}

TEST(Stats, NameTheFirstPathAmongTies) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId c = made.directory(top, "c");
  const DirId b = made.directory(top, "b");
  const DirId b_x = made.directory(top, "b.x");
  for (const DirId in : {c, b, b_x}) {
    for (const char* name : {"z", "y", "x"}) made.file(in, name);
  }
  const Reported of(made.finish());
  EXPECT_EQ(shape(of), Lines{"t/b.x/x 2 t 3 3"});
  HandMadeTree again;
  const DirId root = again.root("t");
  const DirId d = again.directory(root, "d");
  const DirId d_x = again.directory(root, "d.x");
  for (const DirId in : {d_x, d}) {
    for (const char* name : {"z", "y", "x"}) again.file(in, name);
  }
  EXPECT_EQ(shape(Reported(again.finish())), Lines{"t/d.x/x 2 t/d 3 3"});
}

// Letters around the slash, because paths are compared byte by byte.
TEST(Stats, NameTheFirstPathOfTheDeepestInAnyTree) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    HandMadeTree made;
    std::vector<DirId> directories = {made.root("t")};
    for (int i = 0; i < 200; ++i) {
      const DirId in = directories[random() % directories.size()];
      const std::string name = std::string(1 + random() % 2, "-.0a\xff"[random() % 5]) +
                               "-.0a\xff"[i % 5] + std::to_string(i);
      if (random() % 3 == 0) {
        directories.push_back(made.directory(in, name));
      } else {
        made.file(in, name);
      }
    }
    const Reported of(made.finish());
    std::pair<std::ptrdiff_t, std::string> first = {0, "t"};  // the slashes, negative
    of.input().tree().for_each_node([&](NodeId node) {
      const std::string path = of.input().tree().path(node);
      first = std::min(first, {-std::count(path.begin(), path.end(), '/'), path});
    });
    ASSERT_EQ(lines(stats(of.input()), {"deepest_path", "depth"}),
              Lines{first.second + ' ' + std::to_string(-first.first)});
  }
}

TEST(Stats, OfOneFileAreItsOwn) {
  HandMadeTree made;
  made.file_root("f", {.size = 3});
  const Reported of(made.finish());
  EXPECT_EQ(lines(stats(of.input())), Lines{"f 0 - - - 1 3 3 3 3 3"});
}

TEST(Stats, OfNothingAreUnknown) {
  HandMadeTree made;
  made.missing_root();
  const Reported of(made.finish());
  EXPECT_EQ(lines(stats(of.input())), Lines{"- - - - - 0 - - - - -"});
}

TEST(Stats, DoNotCountRepeatedEntries) {
  HandMadeTree made;
  const Entry top{.inode = 7};
  const Entry file{.size = 5, .inode = 8};
  made.file(made.root("t", top), "f", file);
  made.file(made.root("t", top), "f", file);
  const Reported of(made.finish());
  EXPECT_EQ(lines(stats(of.input())), Lines{"t/f 1 t 1 1 1 5 5 5 5 5"});
}

}  // namespace
}  // namespace fathom::fs
