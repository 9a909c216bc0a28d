// Tests of the generator of trees.

#include "fathom/testing/generated_tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string>

#include "fathom/testing/oracle.h"

namespace fathom::testing {
namespace {

constexpr GeneratedTree kWanted = {.seed = 3,
                                   .directories = 60,
                                   .files_per_directory = 6,
                                   .max_depth = 5,
                                   .hard_links = 25,
                                   .symlinks = 30};

off_t size_of(const TempTree& tree, const std::string& rel) {
  struct stat info = {};
  EXPECT_EQ(::lstat(tree.path(rel).c_str(), &info), 0) << rel;
  return info.st_size;
}

TEST(Generate, CreatesTheSameTreeFromTheSameSeed) {
  TempTree a, b;
  const GeneratedPaths in_a = generate(a, kWanted);
  const GeneratedPaths in_b = generate(b, kWanted);
  EXPECT_EQ(in_a.directories, in_b.directories);
  EXPECT_EQ(in_a.files, in_b.files);
  EXPECT_EQ(in_a.hard_links, in_b.hard_links);
  EXPECT_EQ(in_a.symlinks, in_b.symlinks);
  for (const std::string& file : in_a.files) ASSERT_EQ(size_of(a, file), size_of(b, file));
  for (const std::string& link : in_a.symlinks) ASSERT_EQ(size_of(a, link), size_of(b, link));
}

TEST(Generate, CreatesAnotherTreeFromAnotherSeed) {
  TempTree a, b;
  GeneratedTree other = kWanted;
  other.seed = 4;
  EXPECT_NE(generate(a, kWanted).files, generate(b, other).files);
}

TEST(Generate, CreatesExactlyWhatWasRequested) {
  TempTree tree;
  const GeneratedPaths made = generate(tree, kWanted);
  const OracleTotals totals = count({tree.path()});
  EXPECT_EQ(made.directories.size(), kWanted.directories + 1);
  EXPECT_EQ(totals.dirs, made.directories.size());
  EXPECT_EQ(totals.files, made.files.size());
  EXPECT_EQ(totals.symlinks, kWanted.symlinks);
  EXPECT_EQ(made.hard_links.size(), kWanted.hard_links);
  EXPECT_EQ(totals.entries, totals.dirs + totals.files + totals.symlinks + made.hard_links.size());
}

TEST(Generate, StaysWithinTheDepthAndReachesIt) {
  TempTree tree;
  std::ptrdiff_t deepest = 0;
  for (const std::string& directory : generate(tree, kWanted).directories) {
    if (directory == ".") continue;
    deepest = std::max(deepest, std::count(directory.begin(), directory.end(), '/') + 1);
  }
  EXPECT_EQ(deepest, 5);
}

TEST(Generate, LinksToFilesDirectoriesAndNothing) {
  TempTree tree;
  std::set<std::string> kinds;
  for (const std::string& link : generate(tree, kWanted).symlinks) {
    struct stat info = {};
    if (::stat(tree.path(link).c_str(), &info) != 0) {
      kinds.insert("nothing");
    } else {
      kinds.insert(S_ISDIR(info.st_mode) ? "directory" : "file");
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"directory", "file", "nothing"}));
}

TEST(Generate, CreatesNothingIfNothingIsRequested) {
  TempTree tree;
  generate(tree, {.directories = 0, .files_per_directory = 0, .hard_links = 5});
  EXPECT_EQ(count({tree.path()}).entries, 1U);
}

}  // namespace
}  // namespace fathom::testing
