// Reports: the largest, in an order that is total.

#include "fathom/fs/report.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

using Paths = std::vector<std::string>;

Paths files(const Tree& tree, std::size_t count, Measure measure = Measure::disk) {
  Paths paths;
  for (const NodeId node : largest_files(tree, count, measure)) paths.push_back(tree.path(node));
  return paths;
}

Paths directories(const Tree& tree, std::size_t count, Measure measure = Measure::disk) {
  Paths paths;
  for (const DirId id : largest_directories(tree, Totals(tree), count, measure)) {
    paths.push_back(tree.path(tree.node(id)));
  }
  return paths;
}

TEST(LargestFiles, StandInTheOrderOfTheirSize) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 1000});
  made.file(top, "small", {.blocks = 1});
  made.file(top, "large", {.blocks = 100});
  made.file(top, "middle", {.blocks = 10});
  made.file(top, "link", {.blocks = 50, .mode = S_IFLNK | 0777});
  made.file(top, "fifo", {.blocks = 20, .mode = S_IFIFO | 0600});
  const Tree tree = made.finish();
  EXPECT_EQ(files(tree, 3), (Paths{"t/large", "t/link", "t/fifo"}));
  EXPECT_EQ(files(tree, 1), (Paths{"t/large"}));
  EXPECT_EQ(files(tree, 5), (Paths{"t/large", "t/link", "t/fifo", "t/middle", "t/small"}));
}

TEST(LargestFiles, AreNoneWhenNoneAreWanted) {
  HandMadeTree made;
  made.file(made.root("t"), "f", {.blocks = 1});
  const Tree tree = made.finish();
  EXPECT_EQ(files(tree, 0), Paths{});
  EXPECT_EQ(directories(tree, 0), Paths{});
}

TEST(LargestFiles, AreAllWhenMoreAreWanted) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.blocks = 1});
  made.file(top, "b", {.blocks = 2});
  const Tree tree = made.finish();
  const Paths all{"t/b", "t/a"};
  EXPECT_EQ(files(tree, 3), all);
  EXPECT_EQ(files(tree, 1'000'000'000), all);
  EXPECT_EQ(files(tree, std::numeric_limits<std::size_t>::max()), all);
  EXPECT_EQ(directories(tree, std::numeric_limits<std::size_t>::max()), Paths{"t"});
}

TEST(LargestFiles, AreNoneInAnEmptyTree) {
  const Tree tree = HandMadeTree().finish();
  EXPECT_EQ(files(tree, 10), Paths{});
  EXPECT_EQ(directories(tree, 10), Paths{});
}

TEST(LargestFiles, OfOneSizeStandInTheOrderOfTheirPaths) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.file(top, "b", {.blocks = 8});
  made.file(a, "z", {.blocks = 8});
  made.file(top, "a.x", {.blocks = 8});
  made.file(top, "first", {.blocks = 9});
  made.file(a, "y", {.blocks = 8});
  made.file(top, "last", {.blocks = 7});
  const Tree tree = made.finish();
  const Paths all{"t/first", "t/a.x", "t/a/y", "t/a/z", "t/b", "t/last"};
  for (std::size_t count = 0; count <= all.size(); ++count) {
    EXPECT_EQ(files(tree, count), Paths(all.begin(), all.begin() + static_cast<long>(count)));
  }
}

// Many files of few sizes, in an order that has nothing to do with their paths.
Tree tree_with_ties(std::uint32_t count, std::uint32_t sizes) {
  HandMadeTree made;
  const DirId top = made.root("t");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t scattered = static_cast<std::uint32_t>(i * 2654435761ULL % count);
    std::string name = std::to_string(scattered);
    name.insert(0, 6 - name.size(), '0');
    made.file(top, name, {.size = 77, .blocks = scattered % sizes});
  }
  return made.finish();
}

TEST(LargestFiles, AreTheSmallestPathsOfManyThatTieAtTheCut) {
  constexpr std::uint32_t kCount = 20'011;  // a prime: the names are all different
  for (const std::uint32_t sizes : {1U, 2U, 7U, kCount}) {
    const Tree tree = tree_with_ties(kCount, sizes);
    std::vector<NodeId> sorted;
    tree.for_each_node([&](NodeId node) {
      if (tree.kind(node) == Kind::file) sorted.push_back(node);
    });
    std::sort(sorted.begin(), sorted.end(), [&](NodeId a, NodeId b) {
      const std::uint64_t a_bytes = tree.entry(a).disk_bytes();
      const std::uint64_t b_bytes = tree.entry(b).disk_bytes();
      return a_bytes != b_bytes ? a_bytes > b_bytes : tree.name(a) < tree.name(b);
    });
    for (const std::size_t count : {1U, 2U, 10U, 999U, 5000U, kCount - 1, kCount, kCount + 1}) {
      SCOPED_TRACE(::testing::Message() << sizes << " sizes, the largest " << count);
      std::vector<NodeId> expected = sorted;
      if (expected.size() > count) expected.resize(count);
      EXPECT_TRUE(largest_files(tree, count, Measure::disk) == expected);
    }
  }
}

TEST(LargestFiles, FollowTheMeasureThatIsAskedFor) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "sparse", {.size = 1'000'000, .blocks = 1});
  made.file(top, "dense", {.size = 10, .blocks = 100});
  const Tree tree = made.finish();
  EXPECT_EQ(files(tree, 1, Measure::disk), Paths{"t/dense"});
  EXPECT_EQ(files(tree, 1, Measure::apparent), Paths{"t/sparse"});
}

TEST(LargestFiles, ListAnInodeOnceAtThePathThatOwnsIt) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.size = 10, .blocks = 100, .inode = 7, .links = 3};
  made.file(top, "c", linked);
  made.file(top, "a", linked);
  made.file(top, "b", linked);
  made.file(top, "other", {.blocks = 1});
  const Tree tree = made.finish();
  EXPECT_EQ(files(tree, 10), (Paths{"t/a", "t/other"}));
}

TEST(LargestFiles, ListWhatTwoRootsReachOnce) {
  HandMadeTree made;
  const Entry directory{.size = 1, .blocks = 1, .inode = 7};
  const Entry file{.size = 1, .blocks = 10, .inode = 8};
  made.file(made.root("t", directory), "f", file);
  made.file(made.root("t", directory), "f", file);
  const Tree tree = made.finish();
  EXPECT_EQ(files(tree, 10), Paths{"t/f"});
  EXPECT_EQ(directories(tree, 10), Paths{"t"});
}

TEST(LargestDirectories, CountAllThatIsBelow) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 1});
  const DirId a = made.directory(top, "a", {.blocks = 1});
  const DirId b = made.directory(top, "b", {.blocks = 1});
  const DirId deep = made.directory(a, "deep", {.blocks = 1});
  made.file(deep, "f", {.size = 1, .blocks = 10});
  made.file(b, "f", {.size = 1000, .blocks = 11});
  const Tree tree = made.finish();
  EXPECT_EQ(directories(tree, 10), (Paths{"t", "t/a", "t/b", "t/a/deep"}));
  EXPECT_EQ(directories(tree, 2), (Paths{"t", "t/a"}));
  EXPECT_EQ(directories(tree, 2, Measure::apparent), (Paths{"t", "t/b"}));
}

TEST(LargestDirectories, OfOneSizeStandInTheOrderOfTheirPaths) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.directory(top, "b");
  made.directory(top, "a.b");
  made.directory(a, "x");
  const Tree tree = made.finish();
  const Paths all{"t", "t/a", "t/a.b", "t/a/x", "t/b"};
  for (std::size_t count = 0; count <= all.size(); ++count) {
    EXPECT_EQ(directories(tree, count), Paths(all.begin(), all.begin() + static_cast<long>(count)));
  }
}

}  // namespace
}  // namespace fathom::fs
