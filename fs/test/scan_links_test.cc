// Links, symbolic and hard: their targets, and where shared bytes are counted.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/fs/report.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

ScanOptions reading_links(const Way& way, std::vector<std::string> roots) {
  ScanOptions options = options_for(way, std::move(roots));
  options.read_links = true;
  return options;
}

// The rows of the report on symbolic links, relative to the root.
Lines links_below(const std::string& root, const Scan& scan) {
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  Lines found = lines(symlinks(input));
  for (std::string& line : found) line.erase(0, root.size() + 1);
  return found;
}

TEST(SymbolicLinks, HaveTheTargetOfReadlinkAndWhetherItExists) {
  TempTree tree;
  tree.file("dir/file", 10);
  tree.symlink("dir/file", "file");
  tree.symlink("dir", "dir link");
  tree.symlink(tree.path("dir"), "dir/absolute");
  tree.symlink("no such", "dangling");
  tree.symlink("dir/file/below", "through a file");
  tree.symlink("loop b", "loop a");
  tree.symlink("loop a", "loop b");
  tree.symlink("dangling", "to dangling");
  tree.symlink("\xff\n", "bytes");
  const Lines expected = {
      "bytes \xff\n yes",         "dangling no such yes",
      "dir link dir no",          "dir/absolute " + tree.path("dir") + " no",
      "file dir/file no",         "loop a loop b yes",
      "loop b loop a yes",        "through a file dir/file/below yes",
      "to dangling dangling yes",
  };
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    const Scan found = scan(reading_links(way, {tree.path()}));
    EXPECT_TRUE(found.complete());
    EXPECT_EQ(links_below(tree.path(), found), expected);
  }
}

TEST(SymbolicLinks, AreReadOnlyOnRequest) {
  TempTree tree;
  tree.symlink("x", "link");
  const Scan found = scan(options_for({}, {tree.path()}));
  EXPECT_EQ(links_below(tree.path(), found), Lines{"link - -"});
}

TEST(SymbolicLinks, MayBeAsLongAsTheSystemAllows) {
  TempTree tree;
  const std::vector<std::size_t> lengths = {1, 255, 256, 257, 1023, 1024, 4095};
  for (const std::size_t length : lengths) {
    tree.symlink(std::string(length, 'x'), std::to_string(length));
  }
  const Scan found = scan(reading_links({}, {tree.path()}));
  for (const std::size_t length : lengths) {
    const NodeId node = find_node(found.tree, tree.path(std::to_string(length)));
    const auto target = found.tree.link_target(node);
    ASSERT_TRUE(target) << length;
    EXPECT_EQ(target->path, std::string(length, 'x'));
    // ENAMETOOLONG does not say whether the target exists.
    EXPECT_EQ(target->end, length > 255 ? LinkEnd::unknown : LinkEnd::missing);
  }
}

TEST(SymbolicLinks, MayBeRoots) {
  TempTree tree;
  tree.symlink("nowhere", "link");
  const Scan found = scan(reading_links({}, {tree.path("link")}));
  EXPECT_EQ(links_below(tree.path(), found), Lines{"link nowhere yes"});
}

TEST(SymbolicLinks, ThatCannotBeFollowedAreNotReportedAsDangling) {
  TempTree tree;
  tree.file("barred/file");
  tree.symlink("barred/file", "link");
  tree.chmod("barred", 0);
  EXPECT_EQ(testing::as_nobody([&] {
              const Scan found = scan(reading_links({}, {tree.path()}));
              const Lines links = links_below(tree.path(), found);
              if (links != Lines{"link barred/file -"}) throw base::Error(links.at(0));
            }),
            0);
}

TEST(SymbolicLinks, OfALargeDirectoryAreReadByTheWorkerThatTakesABlock) {
  const int kCount = kSmall ? 3000 : 20'000;
  TempTree tree;
  for (int i = 0; i < kCount; ++i) tree.symlink(std::to_string(i), "link " + std::to_string(i));
  const Scan found = scan(reading_links({Engine::lockfree, 8}, {tree.path()}));
  int read = 0;
  found.tree.for_each_node([&](NodeId node) {
    if (found.tree.kind(node) != Kind::symlink) return;
    const auto target = found.tree.link_target(node);
    ASSERT_TRUE(target);
    ASSERT_EQ("link " + std::string(target->path), found.tree.name(node));
    ++read;
  });
  EXPECT_EQ(read, kCount);
}

TEST(HardLinks, AcrossEightDirectoriesGiveTheSameMetricsOnEveryRun) {
  constexpr int kDirectories = 8;
  const int kRuns = kSmall ? 5 : 50;
  TempTree tree;
  const auto directory = [](int i) { return "d" + std::to_string(i % kDirectories) + "/"; };
  for (int i = 0; i < 64; ++i) {
    const std::string first = directory(i) + "in/first" + std::to_string(i);
    tree.file(first, static_cast<std::size_t>(i) * 100);
    tree.hardlink(first, directory(i * 3 + 1) + "second" + std::to_string(i));
    if (i % 4 == 0) tree.hardlink(first, directory(i) + "third" + std::to_string(i));
  }
  const auto metrics_of = [](const Scan& scan) {
    const Totals totals(scan.tree);
    const ReportInput input(scan, totals, Measure::disk, 0);
    return lines(metrics(input));
  };
  const Lines expected = metrics_of(scan(options_for({}, {tree.path()})));
  ASSERT_EQ(expected.size(), 1U + 2 * kDirectories);
  for (int run = 0; run < kRuns; ++run) {
    for (const Way& way : ways_with({static_cast<unsigned>(1 + run * 13 % 64)})) {
      SCOPED_TRACE(::testing::Message() << way);
      ASSERT_EQ(metrics_of(scan(options_for(way, {tree.path()}))), expected);
    }
  }
}

}  // namespace
}  // namespace fathom::fs
