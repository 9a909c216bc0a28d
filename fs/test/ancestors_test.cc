// Ancestors: finds ancestors without one step per level.

#include "tree/ancestors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fathom/fs/exclusive.h"
#include "fathom/fs/totals.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

// The ancestor found by climbing.
DirId climbed_to(const Tree& tree, DirId at, std::uint32_t depth) {
  while (tree.depth(at) > depth) at = tree.parent_of(at);
  return at;
}

DirId climbed_to_common(const Tree& tree, DirId a, DirId b) {
  for (; a != kNoDir; a = tree.parent_of(a)) {
    for (DirId at = b; at != kNoDir; at = tree.parent_of(at)) {
      if (at == a) return a;
    }
  }
  return kNoDir;
}

void expect_as_climbed(const Tree& tree, const std::vector<DirId>& directories) {
  const Ancestors ancestors(tree);
  for (const DirId a : directories) {
    for (std::uint32_t depth = 0; depth <= tree.depth(a); ++depth) {
      ASSERT_EQ(ancestors.at_depth(a, depth), climbed_to(tree, a, depth));
    }
    for (const DirId b : directories) {
      ASSERT_EQ(ancestors.common(a, b), climbed_to_common(tree, a, b));
    }
    EXPECT_EQ(ancestors.common(a, kNoDir), kNoDir);
    EXPECT_EQ(ancestors.common(kNoDir, a), kNoDir);
  }
  EXPECT_EQ(ancestors.common(kNoDir, kNoDir), kNoDir);
}

TEST(Ancestors, EqualThoseFoundByClimbing) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    HandMadeTree made;
    std::vector<DirId> directories;
    for (std::uint32_t root = 0; root <= seed % 3; ++root) {
      directories.push_back(made.root("t" + std::to_string(root)));
    }
    // A smaller reach makes a deeper tree.
    const std::size_t reach = 1 + random() % 40;
    for (int i = 0; i < 80; ++i) {
      const std::size_t from = directories.size() - std::min(directories.size(), reach);
      const DirId in = directories[from + random() % (directories.size() - from)];
      directories.push_back(made.directory(in, "d" + std::to_string(i)));
    }
    expect_as_climbed(made.finish(), directories);
  }
}

// Threads number directories as they find them: a parent may have the larger number.
TEST(Ancestors, DoNotDependOnTheOrderOfNumbers) {
  HandMadeTree made;
  std::vector<DirId> directories = {made.root("t")};
  made.change_appender();
  for (int i = 0; i < 600; ++i) {  // more than one chunk
    if (i % 7 == 0) made.change_appender();
    directories.push_back(made.directory(directories.back(), "d"));
  }
  const Tree tree = made.finish();
  const Ancestors ancestors(tree);
  for (std::uint32_t depth = 0; depth < directories.size(); ++depth) {
    EXPECT_EQ(ancestors.at_depth(directories.back(), depth), directories[depth]);
    EXPECT_EQ(ancestors.common(directories[depth], directories.back()), directories[depth]);
  }
}

TEST(Ancestors, OfNothingAreNothing) {
  const Tree tree = HandMadeTree().finish();
  EXPECT_EQ(Ancestors(tree).common(kNoDir, kNoDir), kNoDir);
}

// One step per level and name would be eight billion steps.
TEST(DeepTrees, WithManyLinkedNamesAreResolvedAndSummed) {
  constexpr int kLevels = 20'000;
  constexpr std::uint64_t kInodes = 100'000;
  HandMadeTree made;
  const DirId top = made.root("t");
  DirId left = made.directory(top, "left");
  DirId right = made.directory(top, "right");
  for (int level = 1; level < kLevels; ++level) {
    left = made.directory(left, "d");
    right = made.directory(right, "d");
  }
  for (std::uint64_t i = 0; i < kInodes; ++i) {
    const Entry linked{.size = 1, .inode = 1'000'000 + i, .links = 2};
    const std::string name = std::to_string(i);
    made.file(right, name, linked);
    made.file(left, name, linked);
  }
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.below(left).apparent_bytes, kInodes);
  EXPECT_EQ(totals.below(right).apparent_bytes, 0U);
  const Exclusive exclusive(tree);
  EXPECT_EQ(exclusive.below(left).apparent_bytes, 0U);
  EXPECT_EQ(exclusive.below(top).apparent_bytes, kInodes);
}

// The same with names below several roots, which are compared by path.
TEST(DeepTrees, OfSeveralRootsAreResolved) {
  constexpr int kLevels = 20'000;
  constexpr std::uint64_t kInodes = 50'000;
  HandMadeTree made;
  std::vector<DirId> ends;
  for (const char* root : {"b", "a/", "a.b", "a"}) {
    DirId at = made.root(root);
    for (int level = 0; level < kLevels; ++level)
      at = made.directory(at, root[0] == 'a' ? "d" : "e");
    ends.push_back(at);
  }
  for (std::uint64_t i = 0; i < kInodes; ++i) {
    for (const DirId end : {ends[0], ends[1], ends[2]}) {
      made.file(end, std::to_string(i), {.size = 1, .inode = 1'000'000 + i, .links = 3});
    }
  }
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.below(ends[0]).apparent_bytes, 0U);
  EXPECT_EQ(totals.below(ends[1]).apparent_bytes, 0U);  // '.' comes before '/'
  EXPECT_EQ(totals.below(ends[2]).apparent_bytes, kInodes);
}

}  // namespace
}  // namespace fathom::fs
