// Selections: the entries that a scan excludes, and those that it counts of the rest.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/fs/exclusive.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;
using Paths = std::vector<std::string>;

constexpr std::string_view kTag = "Signature: 8a477f597d28d172789f06886806bc55";

Selection leaving_out(std::string_view rules) {
  Selection selection;
  selection.excluded.add_text(rules);
  return selection;
}

// Calls check(Scan) with a scan in every way.
template <class Check>
void select_every_way(const TempTree& tree, const Selection& selection, Check&& check) {
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    options.selection = selection;
    check(scan(options));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::string in_tree(const TempTree& tree, const std::string& path) {
  return path == tree.path() ? "." : path.substr(tree.path().size() + 1);
}

// The counted entries, by path in the tree.
Paths counted(const TempTree& tree, const Scan& scan) {
  Paths paths;
  scan.tree.for_each_node([&](NodeId node) {
    if ((scan.tree.flags(node) & kUncounted) != 0) return;
    paths.push_back(in_tree(tree, scan.tree.path(node)));
  });
  std::sort(paths.begin(), paths.end());
  return paths;
}

Paths excluded_paths(const TempTree& tree, const Scan& scan) {
  Paths paths;
  for (const ExcludedEntry& entry : scan.excluded) {
    paths.push_back(in_tree(tree, scan.tree.path(scan.tree.node(entry.in)) + '/' + entry.name));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void expect_excluded(const TempTree& tree, std::string_view rules, const Paths& kept,
                     const Paths& gone) {
  select_every_way(tree, leaving_out(rules), [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    EXPECT_EQ(counted(tree, scan), kept);
    EXPECT_EQ(excluded_paths(tree, scan), gone);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), kept.size());
  });
}

TEST(Excluding, ByNamesPathsAndDirectories) {
  TempTree tree;
  for (const char* file : {"a.o", "build", "src/a.o", "src/build/x", "src/deep/tmp", "tmp/x"}) {
    tree.file(file, 10);
  }
  expect_excluded(
      tree, "*.o\n",
      {".", "build", "src", "src/build", "src/build/x", "src/deep", "src/deep/tmp", "tmp", "tmp/x"},
      {"a.o", "src/a.o"});
  expect_excluded(
      tree, "build/\n",
      {".", "a.o", "build", "src", "src/a.o", "src/deep", "src/deep/tmp", "tmp", "tmp/x"},
      {"src/build"});
  expect_excluded(tree, "/tmp\nsrc/**\n", {".", "a.o", "build", "src"},
                  {"src/a.o", "src/build", "src/deep", "tmp"});
}

TEST(Excluding, IsRevokedByTheLastRule) {
  TempTree tree;
  for (const char* file : {"a.log", "keep.log", "sub/keep.log", "gone/keep.log"}) {
    tree.file(file, 10);
  }
  expect_excluded(tree, "*.log\n!keep.log\ngone/\n", {".", "keep.log", "sub", "sub/keep.log"},
                  {"a.log", "gone"});
}

TEST(Excluding, NeverAppliesToARoot) {
  TempTree tree;
  tree.file("file", 10);
  Selection selection = leaving_out("*\n");
  selection.hidden = false;
  select_every_way(tree, selection, [&](const Scan& scan) {
    EXPECT_EQ(counted(tree, scan), Paths({"."}));
    EXPECT_EQ(excluded_paths(tree, scan), Paths({"file"}));
  });
}

TEST(Excluding, UsesPathsFromEachRoot) {
  TempTree tree;
  tree.file("one/a/x", 10);
  tree.file("two/one/a/x", 10);
  for (const Way& way : ways_with({1, 8})) {
    ScanOptions options = options_for(way, {tree.path("one"), tree.path("two")});
    options.selection = leaving_out("/a\n");
    const Scan found = scan(options);
    EXPECT_EQ(counted(tree, found), Paths({"one", "two", "two/one", "two/one/a", "two/one/a/x"}));
  }
}

TEST(Excluding, HiddenNames) {
  TempTree tree;
  for (const char* file : {".config/x", "a/.x", "a/x", "..x"}) tree.file(file, 10);
  Selection selection;
  selection.hidden = false;
  select_every_way(tree, selection, [&](const Scan& scan) {
    EXPECT_EQ(counted(tree, scan), Paths({".", "a", "a/x"}));
    EXPECT_EQ(excluded_paths(tree, scan), Paths({"..x", ".config", "a/.x"}));
  });
}

// Excluded directories are neither opened nor examined: an unreadable one is not an error.
TEST(Excluding, OpensNothing) {
  TempTree tree;
  tree.file("closed/file", 10);
  tree.file("listed only/a", 10);
  tree.file("listed only/b", 10);
  tree.chmod("closed", 0);
  tree.chmod("listed only", 0444);
  const auto body = [&] {
    for (const Way& way : ways_with({1, 8})) {
      ScanOptions options = options_for(way, {tree.path()});
      if (scan(options).complete()) throw base::Error("permissions have no effect here");
      options.selection = leaving_out("closed/\n/listed only/*\n");
      const Scan found = scan(options);
      if (!found.complete()) throw base::Error("looked at: " + describe(found.errors));
      if (found.excluded.size() != 3) throw base::Error("not everything was excluded");
    }
  };
  EXPECT_EQ(testing::as_nobody(body), 0);
  tree.chmod("listed only", 0755);
}

TEST(Excluding, KnowsCachesByTheirSignature) {
  TempTree tree;
  tree.write("right/CACHEDIR.TAG", std::string(kTag) + "\n# a cache\n");
  tree.file("right/x", 10);
  tree.write("exact/CACHEDIR.TAG", kTag);
  tree.write("wrong/CACHEDIR.TAG", "Signature: 00000000000000000000000000000000");
  tree.write("short/CACHEDIR.TAG", kTag.substr(0, kTag.size() - 1));
  tree.file("empty/CACHEDIR.TAG");
  tree.dir("directory/CACHEDIR.TAG");
  tree.symlink(tree.path("exact/CACHEDIR.TAG"), "link/CACHEDIR.TAG");
  tree.fifo("fifo/CACHEDIR.TAG");  // without a writer: opening it must not block
  Selection selection;
  selection.caches = false;
  select_every_way(tree, selection, [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    const Paths gone = excluded_paths(tree, scan);
    for (const char* cache : {"exact", "right"}) {
      EXPECT_TRUE(std::count(gone.begin(), gone.end(), cache) == 1) << cache;
    }
    for (const char* other : {"directory", "empty", "fifo", "link", "short", "wrong"}) {
      EXPECT_TRUE(std::count(gone.begin(), gone.end(), other) == 0) << other;
    }
    for (const ExcludedEntry& entry : scan.excluded) EXPECT_EQ(entry.why, Excluded::cache);
  });
}

TEST(Excluding, DoesNotMakeADirectoryEmpty) {
  TempTree tree;
  tree.dir("empty");
  tree.file("cleared/a.o", 10);
  tree.file("small/file", 1);
  Selection selection = leaving_out("*.o\n");
  selection.older_than = 1;  // in 1970: only directories stay in the tree
  for (const bool filtered : {false, true}) {
    select_every_way(tree, filtered ? selection : leaving_out("*.o\n"), [&](const Scan& scan) {
      const std::string json = json_of(scan, {{.kind = ReportKind::empty_dirs}});
      const rapidjson::Document parsed = parse(json);
      const auto& rows = parsed["reports"]["empty_dirs"];
      if (filtered) {
        EXPECT_EQ(rows.Size(), 0U) << json;  // "empty" does not match itself
      } else {
        ASSERT_EQ(rows.Size(), 1U) << json;
        EXPECT_EQ(path_of(rows[0]), tree.path("empty"));
      }
    });
  }
}

// A tree with one entry for each filter.
class Filtering : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.file("dir/large.LOG", 300'000);
    tree_.file("dir/small.log", 10);
    tree_.file("old.txt", 5'000);
    tree_.symlink("old.txt", "link.log");
    tree_.fifo("pipe");
    for (const char* path : {"dir/large.LOG", "dir/small.log", "link.log", "pipe"}) {
      tree_.mtime(path, 2'000'000'000);
    }
    tree_.mtime("old.txt", 1'000'000'000);
    tree_.mtime("dir", 1'500'000'000);
    tree_.mtime(".", 1'500'000'000);
  }

  void expect(const Selection& selection, const Paths& wanted) {
    select_every_way(tree_, selection, [&](const Scan& scan) {
      EXPECT_TRUE(scan.complete());
      EXPECT_EQ(counted(tree_, scan), wanted);
      EXPECT_EQ(scan.filtered_out, 7 - wanted.size());
      const Counts whole = Totals(scan.tree).whole();
      EXPECT_EQ(whole.entries(), wanted.size());
      std::uint64_t bytes = 0;
      scan.tree.for_each_node([&](NodeId node) {
        if ((scan.tree.flags(node) & kUncounted) == 0) bytes += scan.tree.size(node);
      });
      EXPECT_EQ(whole.apparent_bytes, bytes);
    });
  }

  TempTree tree_;
};

TEST_F(Filtering, WithoutFiltersMatchesEverything) {
  expect({}, {".", "dir", "dir/large.LOG", "dir/small.log", "link.log", "old.txt", "pipe"});
}

TEST_F(Filtering, MatchesAKind) {
  Selection selection;
  selection.kinds = {Kind::directory};
  expect(selection, {".", "dir"});
  selection.kinds = {Kind::symlink, Kind::other};
  expect(selection, {"link.log", "pipe"});
}

TEST_F(Filtering, MatchesAnExtensionInAnyCaseExceptOfDirectories) {
  Selection selection;
  selection.extensions = {"log"};
  expect(selection, {"dir/large.LOG", "dir/small.log", "link.log"});
  selection.extensions = {"LOG", "txt"};
  expect(selection, {"dir/large.LOG", "dir/small.log", "link.log", "old.txt"});
}

TEST_F(Filtering, MatchesASizeByItsMeasure) {
  Selection selection;
  selection.measure = Measure::apparent;
  selection.min_size = 300'000;
  expect(selection, {"dir/large.LOG"});
  selection.min_size = 300'001;
  expect(selection, {});
}

TEST_F(Filtering, MatchesATimeRange) {
  Selection selection;
  selection.newer_than = 2'000'000'000;
  expect(selection, {"dir/large.LOG", "dir/small.log", "link.log", "pipe"});
  selection.newer_than = 2'000'000'001;
  expect(selection, {});
  selection.newer_than.reset();
  selection.older_than = 1'500'000'000;
  expect(selection, {"old.txt"});
  selection.newer_than = 1'500'000'000;
  selection.older_than = 2'000'000'000;
  expect(selection, {".", "dir"});
}

TEST_F(Filtering, MatchesRulesAndEverythingInTheDirectoriesThatTheyMatch) {
  const auto only = [](std::string_view rules) {
    Selection selection;
    selection.only.add_text(rules);
    return selection;
  };
  expect(only("*.log\n"), {"dir/small.log", "link.log"});
  expect(only("dir\n"), {"dir", "dir/large.LOG", "dir/small.log"});
  expect(only("dir/\npipe\n"), {"dir", "dir/large.LOG", "dir/small.log", "pipe"});
  expect(only("/dir/small.log\n"), {"dir/small.log"});
  expect(only("small.log/\n"), {});  // not a directory
  expect(only("dir/**\n!*.LOG\n"), {"dir/small.log"});
  expect(only("dir\n!small.log\n"), {"dir", "dir/large.LOG", "dir/small.log"});  // as git does
  expect(only("*\n!old.txt\n"), {"dir", "dir/large.LOG", "dir/small.log", "link.log", "pipe"});
}

TEST_F(Filtering, MatchesRulesTogetherWithOtherFilters) {
  Selection selection;
  selection.only.add_line("dir");
  selection.extensions = {"log"};
  selection.measure = Measure::apparent;
  selection.min_size = 11;
  expect(selection, {"dir/large.LOG"});
}

TEST(FilteringByRules, NeverReadsWhatIsExcluded) {
  TempTree tree;
  tree.file("dir/kept/a.o", 10);
  tree.file("dir/gone/b.o", 10);
  Selection selection = leaving_out("gone/\n");
  selection.only.add_line("dir/");
  select_every_way(tree, selection, [&](const Scan& scan) {
    EXPECT_EQ(counted(tree, scan), (Paths{"dir", "dir/kept", "dir/kept/a.o"}));
    EXPECT_EQ(excluded_paths(tree, scan), Paths{"dir/gone"});
  });
}

TEST(FilteringByRules, MatchesPathsFromEachRootAndRootsThatAreFilesByName) {
  TempTree tree;
  tree.file("one/a/x", 10);
  tree.file("two/a/x", 10);
  tree.file("two/b/a/x", 10);
  tree.file("x", 10);
  tree.file("y", 10);
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    const std::vector<std::string> roots = {tree.path("one"), tree.path("two"), tree.path("x"),
                                            tree.path("y")};
    ScanOptions options = options_for(way, roots);
    options.selection.only.add_text("/a/x\nx/\n/x\n");
    EXPECT_EQ(counted(tree, scan(options)), (Paths{"one/a/x", "two/a/x", "x"}));
    options.roots = {tree.path("one/a")};
    EXPECT_EQ(counted(tree, scan(options)), Paths{"one/a/x"});  // by its path from that root
  }
}

TEST_F(Filtering, MatchesEntriesThatMeetAllFilters) {
  Selection selection;
  selection.extensions = {"log"};
  selection.kinds = {Kind::file};
  selection.newer_than = 1'999'999'999;
  selection.measure = Measure::apparent;
  selection.min_size = 11;
  expect(selection, {"dir/large.LOG"});
}

// The bytes of an inode are counted at the smallest matching name, and are not exclusive while a
// name that does not match keeps them.
TEST(FilteringLinks, CountsTheBytesAtAMatchingName) {
  TempTree tree;
  tree.file("a/one.txt", 100'000);
  tree.hardlink("a/one.txt", "b/two.log");
  tree.hardlink("a/one.txt", "b/three.log");
  Selection selection;
  selection.extensions = {"log"};
  select_every_way(tree, selection, [&](const Scan& scan) {
    const Totals totals(scan.tree);
    EXPECT_EQ(totals.whole().files, 2U);
    EXPECT_EQ(totals.whole().apparent_bytes, 100'000U);
    const NodeId b = find_node(scan.tree, tree.path("b"));
    EXPECT_EQ(totals.below(directory_at(scan.tree, b)).apparent_bytes, 100'000U);
    EXPECT_EQ(int{scan.tree.flags(find_node(scan.tree, tree.path("b/three.log")))}, 0);
    EXPECT_EQ(int{scan.tree.flags(find_node(scan.tree, tree.path("b/two.log")))}, int{kExtraLink});
    EXPECT_EQ(Exclusive(scan.tree).below(directory_at(scan.tree, b)).apparent_bytes, 0U);
  });
  select_every_way(tree, leaving_out("/a\n"), [&](const Scan& scan) {
    const NodeId b = find_node(scan.tree, tree.path("b"));
    const DirId id = directory_at(scan.tree, b);
    EXPECT_EQ(Totals(scan.tree).below(id).files, 2U);
    EXPECT_EQ(Exclusive(scan.tree).below(id).apparent_bytes, scan.tree.size(b));
  });
}

TEST(Selecting, ReportsInJsonHowMuchItExcluded) {
  TempTree tree;
  tree.file("a.o", 10);
  tree.file("b", 10);
  Selection selection = leaving_out("*.o\n");
  selection.kinds = {Kind::directory};
  select_every_way(tree, selection, [&](const Scan& scan) {
    const rapidjson::Document json = parse(json_of(scan, {}));
    EXPECT_EQ(json["accuracy"]["left_out"].GetUint64(), 1U);
    EXPECT_EQ(json["accuracy"]["unwanted"].GetUint64(), 1U);
    EXPECT_TRUE(json["accuracy"]["complete"].GetBool());
  });
  select_every_way(tree, {}, [&](const Scan& scan) {
    const rapidjson::Document json = parse(json_of(scan, {}));
    EXPECT_FALSE(json["accuracy"].HasMember("left_out"));
    EXPECT_FALSE(json["accuracy"].HasMember("unwanted"));
  });
}

TEST(Selecting, IsTheSameInEveryWay) {
  TempTree tree;
  for (int i = 0; i < 300; ++i) {
    const std::string folder = "d" + std::to_string(i % 17) + "/e" + std::to_string(i % 5);
    tree.file(folder + "/" + std::to_string(i) + (i % 3 == 0 ? ".o" : ".c"),
              static_cast<std::size_t>(i) * 100);
  }
  Selection selection = leaving_out("*.o\n!12.o\nd3/\nd4/e1\n");
  selection.min_size = 5'000;
  std::string first;
  select_every_way(tree, selection, [&](const Scan& scan) {
    const std::string json = comparable_json(scan);
    if (first.empty()) first = json;
    EXPECT_EQ(json, first);
    EXPECT_GT(scan.excluded.size(), 10U);
    EXPECT_GT(scan.filtered_out, 10U);
  });
}

TEST(Selecting, ByAConditionOnEachEntry) {
  TempTree tree;
  tree.file("a/large.log", 9'000);
  tree.file("a/small.log", 10);
  tree.file("b/large.c", 9'000);
  const auto ana = [](std::uint32_t) { return std::optional<std::string>("ana"); };
  Selection selection;
  selection.where = std::make_shared<const EntryCondition>(
      Where::parse("owner = ana and size > 5000 and ext = log and kind = file"), ana, ana, 0);
  select_every_way(tree, selection, [&](const Scan& scan) {
    std::vector<std::string> names;
    scan.tree.for_each_node([&](NodeId node) {
      if ((scan.tree.flags(node) & kUncounted) == 0) names.emplace_back(scan.tree.name(node));
    });
    EXPECT_EQ(names, std::vector<std::string>{"large.log"});
  });
}

}  // namespace
}  // namespace fathom::fs
