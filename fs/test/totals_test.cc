// Totals: the sums of each directory, including everything below it.

#include "fathom/fs/totals.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <vector>

#include "fathom/fs/tree.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

TEST(Counts, SaturateTheirBytes) {
  Counts counts{.disk_bytes = kMost - 1, .apparent_bytes = kMost - 1};
  counts.add({.disk_bytes = 1, .apparent_bytes = 1});
  EXPECT_EQ(counts.disk_bytes, kMost);
  EXPECT_EQ(counts.apparent_bytes, kMost);
  counts.add({.disk_bytes = 1, .apparent_bytes = kMost});
  EXPECT_EQ(counts.disk_bytes, kMost);
  EXPECT_EQ(counts.apparent_bytes, kMost);
}

TEST(Counts, AreAddedFieldByField) {
  Counts counts{.files = 1, .dirs = 2, .symlinks = 3, .others = 4, .disk_bytes = 5};
  counts.add({.files = 10,
              .dirs = 20,
              .symlinks = 30,
              .others = 40,
              .disk_bytes = 50,
              .apparent_bytes = 60});
  EXPECT_EQ(counts.files, 11U);
  EXPECT_EQ(counts.dirs, 22U);
  EXPECT_EQ(counts.symlinks, 33U);
  EXPECT_EQ(counts.others, 44U);
  EXPECT_EQ(counts.entries(), 110U);
  EXPECT_EQ(counts.disk_bytes, 55U);
  EXPECT_EQ(counts.apparent_bytes, 60U);
}

TEST(Totals, OfAnEmptyTreeAreNothing) {
  const Totals totals(HandMadeTree().finish());
  EXPECT_EQ(totals.whole().entries(), 0U);
  EXPECT_EQ(totals.whole().disk_bytes, 0U);
  EXPECT_EQ(totals.whole().apparent_bytes, 0U);
  EXPECT_EQ(totals.deepest(), 0U);
}

TEST(Totals, OfAnEmptyDirectoryCountTheDirectoryItself) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 4096, .blocks = 8});
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.whole().dirs, 1U);
  EXPECT_EQ(totals.whole().entries(), 1U);
  EXPECT_EQ(totals.whole().disk_bytes, 4096U);
  EXPECT_EQ(totals.below(top).disk_bytes, 4096U);
  EXPECT_EQ(totals.below(top).entries(), 1U);
  EXPECT_FALSE(totals.lower_bound(top));
  EXPECT_EQ(totals.deepest(), 0U);
}

TEST(Totals, CountEachKindUpToTheRoot) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1, .blocks = 1});
  const DirId left = made.directory(top, "left", {.size = 2, .blocks = 2});
  const DirId deep = made.directory(left, "deep", {.size = 4, .blocks = 4});
  const DirId right = made.directory(top, "right", {.size = 8, .blocks = 8});
  made.file(deep, "file", {.size = 16, .blocks = 16});
  made.file(deep, "link", {.size = 32, .blocks = 32, .mode = S_IFLNK | 0777});
  made.file(left, "fifo", {.size = 64, .blocks = 64, .mode = S_IFIFO | 0600});
  made.file(right, "file", {.size = 128, .blocks = 128});
  made.file_root("f", {.size = 256, .blocks = 256});
  const Tree tree = made.finish();
  const Totals totals(tree);

  EXPECT_EQ(totals.below(deep).apparent_bytes, 4U + 16 + 32);
  EXPECT_EQ(totals.below(deep).files, 1U);
  EXPECT_EQ(totals.below(deep).symlinks, 1U);
  EXPECT_EQ(totals.below(deep).dirs, 1U);
  EXPECT_EQ(totals.below(left).apparent_bytes, 2U + 4 + 16 + 32 + 64);
  EXPECT_EQ(totals.below(left).others, 1U);
  EXPECT_EQ(totals.below(left).dirs, 2U);
  EXPECT_EQ(totals.below(right).apparent_bytes, 8U + 128);
  EXPECT_EQ(totals.below(top).apparent_bytes, 255U);
  EXPECT_EQ(totals.below(top).disk_bytes, 255U * 512);
  EXPECT_EQ(totals.below(top).entries(), 8U);
  EXPECT_EQ(totals.whole().apparent_bytes, 511U);
  EXPECT_EQ(totals.whole().disk_bytes, 511U * 512);
  EXPECT_EQ(totals.whole().files, 3U);
  EXPECT_EQ(totals.whole().dirs, 4U);
  EXPECT_EQ(totals.whole().symlinks, 1U);
  EXPECT_EQ(totals.whole().others, 1U);
  EXPECT_EQ(totals.deepest(), 2U);
}

TEST(Totals, SaturateInsteadOfWrapping) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1, .blocks = 1});
  const DirId full = made.directory(top, "full");
  made.file(full, "a", {.size = 1ULL << 63, .blocks = 1ULL << 54});
  made.file(full, "b", {.size = (1ULL << 63) - 1, .blocks = (1ULL << 54) - 1});
  const DirId over = made.directory(top, "over");
  made.file(over, "a", {.size = 1ULL << 63, .blocks = 1ULL << 54});
  made.file(over, "b", {.size = 1ULL << 63, .blocks = 1ULL << 54});
  const DirId small = made.directory(top, "small");
  made.file(small, "a", {.size = 5, .blocks = 5});
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.below(full).apparent_bytes, kMost);  // exactly
  EXPECT_EQ(totals.below(full).disk_bytes, kMost - 511);
  EXPECT_EQ(totals.below(over).apparent_bytes, kMost);
  EXPECT_EQ(totals.below(over).disk_bytes, kMost);
  EXPECT_EQ(totals.below(small).apparent_bytes, 5U);
  EXPECT_EQ(totals.below(top).apparent_bytes, kMost);
  EXPECT_EQ(totals.whole().disk_bytes, kMost);
}

TEST(Totals, AreLowerBoundsAboveAnUnreadableEntry) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId middle = made.directory(top, "middle");
  const DirId deep = made.directory(middle, "deep");
  const DirId below = made.directory(deep, "below");
  const DirId beside = made.directory(top, "beside");
  const DirId other_root = made.root("u");
  made.mark_incomplete(deep);
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_TRUE(totals.lower_bound(deep));
  EXPECT_TRUE(totals.lower_bound(middle));
  EXPECT_TRUE(totals.lower_bound(top));
  EXPECT_FALSE(totals.lower_bound(below));
  EXPECT_FALSE(totals.lower_bound(beside));
  EXPECT_FALSE(totals.lower_bound(other_root));
}

TEST(Totals, ReachTheRootFromAHundredThousandLevelsDown) {
  constexpr std::uint32_t kLevels = 100'000;
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1});
  DirId at = top;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    at = made.directory(at, "d", {.size = 1});
  }
  made.file(at, "file", {.size = 1'000'000});
  made.mark_incomplete(at);
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.deepest(), kLevels);
  EXPECT_EQ(totals.below(top).apparent_bytes, 1'000'000U + kLevels + 1);
  EXPECT_EQ(totals.below(at).apparent_bytes, 1'000'001U);
  EXPECT_TRUE(totals.lower_bound(top));
}

TEST(Totals, DoNotDependOnTheOrderInWhichDirectoriesWereFound) {
  // The deep directory is written into an earlier chunk than that of its cousins, by other
  // Appenders.
  HandMadeTree made;
  const DirId top = made.root("t");
  std::vector<DirId> chain{top};
  std::vector<DirId> cousins;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    if (i % 100 == 0) made.change_appender();
    chain.push_back(made.directory(chain.back(), "c", {.size = 1}));
    cousins.push_back(made.directory(chain[i / 2], "x", {.size = 1000}));
  }
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.below(top).apparent_bytes, 1500U * 1001);
  EXPECT_EQ(totals.below(chain[1500]).apparent_bytes, 1U);
  EXPECT_EQ(totals.below(chain[749]).apparent_bytes, 2U * 1000 + 1500 - 749 + 1);
}

}  // namespace
}  // namespace fathom::fs
