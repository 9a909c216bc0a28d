// Shapes: extremely deep, wide or empty trees.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

TEST(DeepTrees, MayExceedTheKernelsPathLimit) {
  constexpr std::size_t kLevels = 5000;
  TempTree tree;
  tree.deep_chain("chain", kLevels);
  tree.file("chain/beside", 10);
  const testing::OracleTotals totals = testing::count({tree.path()});
  ASSERT_EQ(totals.dirs, kLevels + 2);
  std::string deepest = tree.path("chain");
  for (std::size_t level = 0; level < kLevels; ++level) deepest += "/d";
  ASSERT_GT(deepest.size(), static_cast<std::size_t>(PATH_MAX));

  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    EXPECT_EQ(Totals(scan.tree).deepest(), kLevels + 1);
    std::string longest;
    scan.tree.for_each_directory([&](DirId id) {
      if (scan.tree.depth(id) == kLevels + 1) longest = scan.tree.path(scan.tree.node(id));
    });
    EXPECT_TRUE(longest == deepest);
  });
}

TEST(DeepTrees, WithSomethingAtEveryLevelAreWhole) {
  // Long names: each path exceeds PATH_MAX after 17 levels, and every level has waiting
  // directories.
  const std::string name(240, 'n');
  constexpr int kLevels = 60;
  TempTree tree;
  std::string at = name;
  for (int level = 0; level < kLevels; ++level) {
    tree.file(at + "/file", 5);
    tree.dir(at + "/left");
    tree.file(at + "/right/file", 5);
    at += "/" + name;
  }
  const testing::OracleTotals totals = testing::count({tree.path()});
  ASSERT_EQ(totals.entries, 1U + kLevels * 5);
  scan_every_way({tree.path()}, [&](const Scan& scan) { expect_equals_oracle(scan, totals); });
}

TEST(DeepTrees, DoNotNeedADeepStack) {
  const std::size_t kLevels = kSmall ? 4'000 : 50'000;
  TempTree tree;
  tree.deep_chain("chain", kLevels);
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()},
                 [&](const Scan& scan) {
                   expect_equals_oracle(scan, totals);
                   EXPECT_EQ(Totals(scan.tree).deepest(), kLevels + 1);
                 },
                 {2});
}

// Makes that many empty files in one directory, as fast as possible.
void make_many_files(const std::string& directory, std::size_t count) {
  const int at = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) throw base::SystemError("cannot open " + directory, errno);
  int error = 0;
  for (std::size_t i = 0; i < count && error == 0; ++i) {
    if (::mknodat(at, ("file number " + std::to_string(i)).c_str(), S_IFREG | 0644, 0) != 0) {
      error = errno;
    }
  }
  ::close(at);
  if (error != 0) throw base::SystemError("cannot make a file in " + directory, error);
}

TEST(WideTrees, HaveEveryNameOfAHugeDirectoryOnce) {
  const std::size_t kFiles = kSmall ? 10'000 : 100'000;
  TempTree tree;
  tree.dir("huge");
  try {
    make_many_files(tree.path("huge"), kFiles);
  } catch (const base::Error& error) {
    GTEST_SKIP() << error.what();  // a small tmpfs may lack inodes
  }
  tree.file("huge/one with bytes", 10);
  tree.dir("huge/and a directory");
  const testing::OracleTotals totals = testing::count({tree.path()});
  ASSERT_EQ(totals.entries, kFiles + 4);

  scan_every_way({tree.path()},
                 [&](const Scan& scan) {
                   expect_equals_oracle(scan, totals);
                   std::vector<std::uint64_t> inodes;
                   scan.tree.for_each_node(
                       [&](NodeId node) { inodes.push_back(scan.tree.entry(node).inode); });
                   std::sort(inodes.begin(), inodes.end());
                   EXPECT_TRUE(std::adjacent_find(inodes.begin(), inodes.end()) == inodes.end());
                 },
                 {2, 8});
}

TEST(WideTrees, OfManyEmptyDirectoriesAreComplete) {
  constexpr int kOuter = 100;
  const int kInner = kSmall ? 20 : 50;
  TempTree tree;
  for (int outer = 0; outer < kOuter; ++outer) {
    for (int inner = 0; inner < kInner; ++inner) {
      tree.dir("o" + std::to_string(outer) + "/i" + std::to_string(inner));
    }
  }
  const testing::OracleTotals totals = testing::count({tree.path()});
  ASSERT_EQ(totals.dirs, 1U + kOuter + kOuter * kInner);
  scan_every_way({tree.path()}, [&](const Scan& scan) { expect_equals_oracle(scan, totals); },
                 {2, 8});
}

TEST(WideTrees, WithAnEmptyRootHaveOneEntry) {
  const TempTree tree;
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    expect_equals_du(scan, {tree.path()});
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 1U);
    EXPECT_EQ(scan.tree.roots().size(), 1U);
  });
}

TEST(GeneratedTrees, EqualDuAndFindInEveryWay) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    TempTree tree;
    testing::generate(tree, {.seed = seed,
                             .directories = 150,
                             .files_per_directory = 8,
                             .hard_links = 60,
                             .symlinks = 60});
    const testing::OracleTotals totals = testing::count({tree.path()});
    const std::vector<std::string> paths = find_paths(tree.path());
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    scan_every_way({tree.path()}, [&](const Scan& scan) {
      expect_equals_oracle(scan, totals);
      EXPECT_TRUE(all_paths(scan.tree) == paths);
    });
    const Scan once = scan(options_for({Engine::lockfree, 2}, {tree.path()}));
    expect_equals_du(once, {tree.path()});
    expect_equals_find(once, {tree.path()});
  }
}

TEST(GeneratedTrees, EqualDuForEachDirectory) {
  TempTree tree;
  const testing::GeneratedPaths made =
      testing::generate(tree, {.seed = 9, .directories = 60, .files_per_directory = 4});
  const Scan found = scan(options_for({Engine::lockfree, 8}, {tree.path()}));
  const Totals totals(found.tree);
  std::size_t compared = 0;
  found.tree.for_each_directory([&](DirId id) {
    const std::string path = found.tree.path(found.tree.node(id));
    const testing::OracleTotals expected = testing::count({path});
    EXPECT_EQ(totals.below(id).disk_bytes, expected.disk_bytes) << path;
    EXPECT_EQ(totals.below(id).apparent_bytes, expected.apparent_bytes) << path;
    EXPECT_EQ(totals.below(id).entries(), expected.entries) << path;
    EXPECT_FALSE(totals.lower_bound(id));
    ++compared;
  });
  EXPECT_EQ(compared, made.directories.size());
}

TEST(GeneratedTrees, GiveTheSameJsonOnEveryRunInEveryWay) {
  const int kRuns = kSmall ? 4 : 20;
  TempTree tree;
  testing::generate(
      tree,
      {.seed = 77, .directories = 60, .files_per_directory = 5, .hard_links = 80, .symlinks = 20});
  const std::string expected =
      comparable_json(scan(options_for({Engine::serial, 1}, {tree.path()})));
  for (int run = 0; run < kRuns; ++run) {
    scan_every_way({tree.path()}, [&](const Scan& scan) {
      ASSERT_TRUE(comparable_json(scan) == expected) << "run " << run;
    });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fathom::fs
