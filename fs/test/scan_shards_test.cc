// Shards: several scans of parts find together what one scan finds.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"
#include "in_shards.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Whether some entry in the other directory was found in more than one shard.
void expect_only_directories_repeated(const FoundByPath& entries) {
  for (const auto& [path, found] : entries) {
    const auto below = entries.upper_bound(path + "/");
    const bool has_entries = below != entries.end() && below->first.starts_with(path + "/");
    EXPECT_TRUE(found.times == 1 || has_entries)
        << path << " was found " << found.times << " times";
  }
}

// `files`: the number of files in a single directory.
void make(TempTree& tree, std::size_t directories = 60, int files = 300) {
  testing::generate(tree,
                    {.seed = 5, .directories = directories, .hard_links = 20, .symlinks = 10});
  for (int i = 0; i < files; ++i) tree.file("huge/" + std::to_string(i), 1);
  tree.dir("huge/a directory");
  tree.file("huge/another/file", 5);
  tree.file(".git/objects/ab/cd", 10);
  tree.file("with\nnewline/and \xff/file", 10);
  tree.dir("empty");
}

class ScanShards : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ScanShards, FindTogetherWhatOneScanFinds) {
  TempTree tree;
  if (GetParam() == 1) {
    make(tree, 15, 40);  // each entry is a shard, which is a scan with its own threads
  } else {
    make(tree);
  }
  for (const Way& way : ways_with({3})) {
    SCOPED_TRACE(::testing::Message() << way);
    const ScanOptions options = options_for(way, {tree.path()});
    FoundByPath expected;
    add_found(scan(options), expected);
    for (const std::size_t batch : {std::size_t{3}, std::size_t{1000}}) {
      if (GetParam() * batch < 30 && (kSmall || way.engine != Engine::lockfree)) continue;
      const Joined joined = scan_in_shards(options, {.most_entries = GetParam()}, batch);
      EXPECT_EQ(joined.entries, expected);
      expect_only_directories_repeated(joined.entries);
      EXPECT_EQ(joined.errors, std::vector<std::string>());
      EXPECT_TRUE(joined.shards > 2 || GetParam() >= 100) << joined.shards;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Budgets, ScanShards, ::testing::Values(1, 10, 100, kNoLimit));

TEST(ScanShards, LeaveNothingIfTheBudgetSuffices) {
  TempTree tree;
  tree.file("a/b/c", 1);
  ScanOptions options = options_for({}, {tree.path()});
  options.shard = Shard();
  EXPECT_EQ(scan(options).rest, std::vector<std::string>());
}

TEST(ScanShards, LookAtOneEntryEvenIfTheTimeIsOver) {
  TempTree tree;
  make(tree);
  const ScanOptions options = options_for({Engine::lockfree, 2}, {tree.path()});
  FoundByPath expected;
  add_found(scan(options), expected);
  EXPECT_EQ(scan_in_shards(options, {.most_time = std::chrono::nanoseconds(0)}, 50).entries,
            expected);
}

TEST(ScanShards, KeepTheSelectionOfTheirRoots) {
  TempTree tree;
  make(tree);
  tree.file("a/keep/b", 1);
  tree.file("a/leave/b", 1);
  tree.file("only/deep/x/y", 1);
  ScanOptions options = options_for({Engine::serial, 1}, {tree.path()});
  options.selection.excluded.add_line("/a/leave/");
  options.selection.excluded.add_line("huge/another");
  options.selection.only.add_line("/a/keep");
  options.selection.only.add_line("deep/");
  options.selection.hidden = false;
  FoundByPath expected;
  add_found(scan(options), expected);
  EXPECT_TRUE(expected.contains(tree.path("only/deep/x/y")));
  EXPECT_FALSE(expected.contains(tree.path("a/leave")));
  for (const std::uint64_t entries : {1, 5}) {
    EXPECT_EQ(scan_in_shards(options, {.most_entries = entries}, 3).entries, expected);
  }
}

TEST(ScanShards, BeginInSeveralRoots) {
  TempTree tree;
  make(tree);
  const ScanOptions options = options_for(
      {Engine::lockfree, 3},
      {tree.path("huge"), tree.path("empty"), tree.path("with\nnewline") + "/", tree.path(".git")});
  FoundByPath expected;
  add_found(scan(options), expected);
  EXPECT_EQ(scan_in_shards(options, {.most_entries = 4}, 9).entries, expected);
}

TEST(ScanShards, ReportWhatDisappearsBetweenThem) {
  TempTree tree;
  tree.file("a/b/c", 1);
  ScanOptions options = options_for({Engine::serial, 1}, {tree.path()});
  options.shard = {.from = {tree.path("a/gone"), tree.path("gone/b/"), tree.path("a/b/c")}};
  const Scan found = scan(options);
  EXPECT_EQ(found.changed, 2U);
  EXPECT_EQ(found.above, 3U);  // the root, a and a/b
  EXPECT_TRUE(found.complete()) << describe(found.errors);
  FoundByPath entries;
  add_found(found, entries);
  EXPECT_EQ(entries.size(), 4U);
  EXPECT_TRUE(entries.contains(tree.path("a/b/c")));
}

TEST(ScanShards, BeginAtPathsOfAnyDepth) {
  TempTree tree;
  tree.dir("a");
  std::string path = tree.path();
  for (int i = 0; i < 300'000; ++i) path += "/a";
  ScanOptions options = options_for({Engine::serial, 1}, {tree.path()});
  options.shard = {.from = {path}};
  EXPECT_EQ(scan(options).changed, 1U);  // the second level does not exist
}

// The error of scanning with these roots and paths.
std::string why_refused(const std::vector<std::string>& roots,
                        const std::vector<std::string>& from) {
  ScanOptions options = options_for({}, roots);
  options.shard = {.from = from};
  try {
    static_cast<void>(scan(options));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(ScanShards, RefusePathsThatLeadOutOfTheRoots) {
  TempTree tree;
  tree.dir("a");
  const std::string root = tree.path("a");
  for (const std::string& path :
       {root + "/../b", root + "/./b", root + "//b", root + "/..", root + "/", tree.path("ab"),
        std::string("/"), std::string(), root + "/" + std::string(5000, 'x'),
        root + "/a" + std::string(1, '\0'), root + "/a" + std::string(1, '\0') + "/b"}) {
    EXPECT_NE(why_refused({root}, {path}), "") << path.substr(0, 200);
  }
  EXPECT_EQ(why_refused({root}, {root + "/b"}), "");
}

TEST(ScanShards, RefuseRootsThatContainEachOther) {
  TempTree tree;
  tree.dir("a/b");
  EXPECT_NE(why_refused({tree.path("a"), tree.path("a/b")}, {}), "");
  EXPECT_NE(why_refused({tree.path("a"), tree.path("a/")}, {}), "");
  EXPECT_NE(why_refused({"/", tree.path("a")}, {}), "");
  EXPECT_EQ(why_refused({tree.path("a"), tree.path("ab")}, {}), "");
}

}  // namespace
}  // namespace fathom::fs
