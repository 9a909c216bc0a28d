// Reports: the largest entries, in a total order.

#include "fathom/fs/report.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

using Paths = std::vector<std::string>;

Scan scan_of(Tree tree) {
  Scan scan;
  scan.tree = std::move(tree);
  return scan;
}

// The first cells of all rows of a report.
Paths paths_of(const Scan& scan, Measure measure, const ReportRequest& request) {
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, measure, 0);
  const Table table = make_report(input, request);
  Paths paths;
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    table.read(row, cells);
    paths.push_back(std::get<std::string>(cells.front()));
  }
  return paths;
}

Paths files(const Scan& scan, std::size_t count, Measure measure = Measure::disk) {
  return paths_of(scan, measure, {.kind = ReportKind::largest_files, .count = count});
}

Paths directories(const Scan& scan, std::size_t count, Measure measure = Measure::disk) {
  return paths_of(scan, measure, {.kind = ReportKind::largest_dirs, .count = count});
}

TEST(LargestDirs, FoldedLeaveOutParentsThatAreMostlyOneSubdirectory) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 1});
  const DirId modules = made.directory(top, "nm", {.blocks = 1});
  const DirId package = made.directory(modules, "p", {.blocks = 1});
  made.file(made.directory(package, "sub"), "f", {.blocks = 100});
  made.file(made.directory(package, "tests"), "f", {.blocks = 20});
  const DirId half = made.directory(top, "half");
  made.file(made.directory(half, "1"), "f", {.blocks = 40});
  made.file(made.directory(half, "2"), "f", {.blocks = 39});
  made.directory(made.directory(top, "nothing"), "either");
  const Scan scan = scan_of(made.finish());
  const auto folded = [&scan](std::size_t count) {
    return paths_of(scan, Measure::disk,
                    {.kind = ReportKind::largest_dirs, .count = count, .levels = Levels::folded});
  };
  EXPECT_EQ(directories(scan, 4), (Paths{"t", "t/nm", "t/nm/p", "t/nm/p/sub"}));
  EXPECT_EQ(folded(4), (Paths{"t", "t/nm/p/sub", "t/half", "t/half/1"}));
  // A directory without bytes is not mostly anything.
  EXPECT_EQ(folded(9), (Paths{"t", "t/nm/p/sub", "t/half", "t/half/1", "t/half/2", "t/nm/p/tests",
                              "t/nothing", "t/nothing/either"}));
}

TEST(LargestDirs, FoldedSayThatSomeAreLeftOut) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(made.directory(top, "a"), "f", {.blocks = 8});
  made.file(top, "g", {.blocks = 8});
  const Scan scan = scan_of(made.finish());
  const Totals totals(scan.tree);
  const auto note = [&](Measure measure, Levels levels) {
    return largest_dirs(ReportInput(scan, totals, measure, 0), 5, levels).head().note;
  };
  EXPECT_EQ(note(Measure::disk, Levels::folded), "");  // a half is not most of it
  EXPECT_EQ(note(Measure::apparent, Levels::folded), "");

  HandMadeTree chain;
  chain.file(chain.directory(chain.root("t"), "a"), "f", {.blocks = 8});
  const Scan other = scan_of(chain.finish());
  const Totals sums(other.tree);
  const ReportInput input(other, sums, Measure::disk, 0);
  EXPECT_EQ(largest_dirs(input, 5, Levels::folded).head().note,
            "Not shown: directories with most of their size in one subdirectory");
  EXPECT_EQ(largest_dirs(input, 5).head().note, "");
}

TEST(LargestFiles, AreOrderedBySize) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 1000});
  made.file(top, "small", {.blocks = 1});
  made.file(top, "large", {.blocks = 100});
  made.file(top, "middle", {.blocks = 10});
  made.file(top, "link", {.blocks = 50, .mode = S_IFLNK | 0777});
  made.file(top, "fifo", {.blocks = 20, .mode = S_IFIFO | 0600});
  const Scan scan = scan_of(made.finish());
  EXPECT_EQ(files(scan, 3), (Paths{"t/large", "t/link", "t/fifo"}));
  EXPECT_EQ(files(scan, 1), (Paths{"t/large"}));
  EXPECT_EQ(files(scan, 5), (Paths{"t/large", "t/link", "t/fifo", "t/middle", "t/small"}));
}

TEST(LargestFiles, AreNoneWhenNoneAreRequested) {
  HandMadeTree made;
  made.file(made.root("t"), "f", {.blocks = 1});
  const Scan scan = scan_of(made.finish());
  EXPECT_EQ(files(scan, 0), Paths{});
  EXPECT_EQ(directories(scan, 0), Paths{});
}

TEST(LargestFiles, AreAllWhenMoreAreRequested) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.blocks = 1});
  made.file(top, "b", {.blocks = 2});
  const Scan scan = scan_of(made.finish());
  const Paths all{"t/b", "t/a"};
  EXPECT_EQ(files(scan, 3), all);
  EXPECT_EQ(files(scan, 1'000'000'000), all);
  EXPECT_EQ(files(scan, std::numeric_limits<std::size_t>::max()), all);
  EXPECT_EQ(directories(scan, std::numeric_limits<std::size_t>::max()), Paths{"t"});
}

TEST(LargestFiles, AreNoneInAnEmptyTree) {
  const Scan scan = scan_of(HandMadeTree().finish());
  EXPECT_EQ(files(scan, 10), Paths{});
  EXPECT_EQ(directories(scan, 10), Paths{});
}

TEST(LargestFiles, OfOneSizeAreOrderedByPath) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.file(top, "b", {.blocks = 8});
  made.file(a, "z", {.blocks = 8});
  made.file(top, "a.x", {.blocks = 8});
  made.file(top, "first", {.blocks = 9});
  made.file(a, "y", {.blocks = 8});
  made.file(top, "last", {.blocks = 7});
  const Scan scan = scan_of(made.finish());
  const Paths all{"t/first", "t/a.x", "t/a/y", "t/a/z", "t/b", "t/last"};
  for (std::size_t count = 0; count <= all.size(); ++count) {
    EXPECT_EQ(files(scan, count), Paths(all.begin(), all.begin() + static_cast<long>(count)));
  }
}

// Many files of few sizes, in an order that is unrelated to their paths.
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
  constexpr std::uint32_t kCount = 20'011;  // a prime, so that all names differ
  for (const std::uint32_t sizes : {1U, 2U, 7U, kCount}) {
    const Scan scan = scan_of(tree_with_ties(kCount, sizes));
    const Tree& tree = scan.tree;
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
      Paths paths;
      for (const NodeId node : expected) paths.push_back(tree.path(node));
      EXPECT_TRUE(files(scan, count) == paths);
    }
  }
}

// A large count uses another algorithm than a small one.
TEST(LargestFiles, AreTheSameForEveryRequestedNumber) {
  const std::vector<Paths> cases = {
      {"t"}, {"t", "t.x", "s"}, {"t", "t/d1", "t/d1/d"}, {"/", "/d1"}, {"t/", "t/d1/"}};
  for (const Paths& roots : cases) {
    HandMadeTree made;
    std::uint64_t inode = 10'000'000;
    for (const std::string& root : roots) {
      const DirId top = made.root(root);
      for (int folder = 0; folder < 6; ++folder) {
        const std::string name = "d" + std::to_string(folder) + (folder % 2 == 0 ? "" : ".x");
        const DirId deep = made.directory(made.directory(top, name), "d");
        for (int file = 0; file < 400; ++file) {
          const auto size = static_cast<std::uint64_t>(file % 3);
          const Entry entry{.blocks = size, .inode = ++inode};
          made.file(file % 2 == 0 ? deep : top, name + std::to_string(file), entry);
        }
      }
    }
    const Scan scan = scan_of(made.finish());
    SCOPED_TRACE(::testing::PrintToString(roots));
    const Paths all = files(scan, 1'000'000);
    ASSERT_EQ(all.size(), 2400 * roots.size());
    for (const std::size_t count : {1U, 10U, 500U, 900U}) {
      const Paths few(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      EXPECT_TRUE(files(scan, count) == few) << count;
    }
  }
}

TEST(LargestFiles, FollowTheRequestedMeasure) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "sparse", {.size = 1'000'000, .blocks = 1});
  made.file(top, "dense", {.size = 10, .blocks = 100});
  const Scan scan = scan_of(made.finish());
  EXPECT_EQ(files(scan, 1, Measure::disk), Paths{"t/dense"});
  EXPECT_EQ(files(scan, 1, Measure::apparent), Paths{"t/sparse"});
}

TEST(LargestFiles, ListAnInodeOnceAtThePathThatOwnsIt) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.size = 10, .blocks = 100, .inode = 7, .links = 3};
  made.file(top, "c", linked);
  made.file(top, "a", linked);
  made.file(top, "b", linked);
  made.file(top, "other", {.blocks = 1});
  const Scan scan = scan_of(made.finish());
  EXPECT_EQ(files(scan, 10), (Paths{"t/a", "t/other"}));
}

TEST(LargestFiles, ListWhatTwoRootsReachOnce) {
  HandMadeTree made;
  const Entry directory{.size = 1, .blocks = 1, .inode = 7};
  const Entry file{.size = 1, .blocks = 10, .inode = 8};
  made.file(made.root("t", directory), "f", file);
  made.file(made.root("t", directory), "f", file);
  const Scan scan = scan_of(made.finish());
  EXPECT_EQ(files(scan, 10), Paths{"t/f"});
  EXPECT_EQ(directories(scan, 10), Paths{"t"});
}

TEST(LargestDirectories, CountEverythingBelow) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 1});
  const DirId a = made.directory(top, "a", {.blocks = 1});
  const DirId b = made.directory(top, "b", {.blocks = 1});
  const DirId deep = made.directory(a, "deep", {.blocks = 1});
  made.file(deep, "f", {.size = 1, .blocks = 10});
  made.file(b, "f", {.size = 1000, .blocks = 11});
  const Scan scan = scan_of(made.finish());
  EXPECT_EQ(directories(scan, 10), (Paths{"t", "t/a", "t/b", "t/a/deep"}));
  EXPECT_EQ(directories(scan, 2), (Paths{"t", "t/a"}));
  EXPECT_EQ(directories(scan, 2, Measure::apparent), (Paths{"t", "t/b"}));
}

TEST(LargestDirectories, OfOneSizeAreOrderedByPath) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.directory(top, "b");
  made.directory(top, "a.b");
  made.directory(a, "x");
  const Scan scan = scan_of(made.finish());
  const Paths all{"t", "t/a", "t/a.b", "t/a/x", "t/b"};
  for (std::size_t count = 0; count <= all.size(); ++count) {
    EXPECT_EQ(directories(scan, count), Paths(all.begin(), all.begin() + static_cast<long>(count)));
  }
}

TEST(Summary, HasEverythingThatAScanCounts) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 100, .blocks = 8});
  made.file(made.directory(top, "d"), "f", {.size = 10, .blocks = 1});
  made.file(top, "link", {.mode = S_IFLNK | 0777});
  made.file(top, "fifo", {.mode = S_IFIFO | 0600});
  Scan scan = scan_of(made.finish());
  scan.changed = 3;
  scan.seconds = 0.5;
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  const Table table = summary(input);
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.shape(), TableShape::record);
  std::vector<Cell> cells;
  table.read(0, cells);
  ASSERT_EQ(cells.size(), table.columns().size());
  const auto cell = [&](std::string_view key) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (table.columns()[i].key == key) return cells[i];
    }
    ADD_FAILURE() << "no column " << key;
    return Cell();
  };
  EXPECT_EQ(cell("files"), Cell(std::uint64_t{1}));
  EXPECT_EQ(cell("dirs"), Cell(std::uint64_t{2}));
  EXPECT_EQ(cell("symlinks"), Cell(std::uint64_t{1}));
  EXPECT_EQ(cell("others"), Cell(std::uint64_t{1}));
  EXPECT_EQ(cell("entries"), Cell(std::uint64_t{5}));
  EXPECT_EQ(cell("disk_bytes"), Cell(std::uint64_t{9 * 512}));
  EXPECT_EQ(cell("apparent_bytes"), Cell(std::uint64_t{110}));
  EXPECT_EQ(cell("depth"), Cell(std::uint64_t{1}));
  EXPECT_EQ(cell("lower_bound"), Cell(false));
  EXPECT_EQ(cell("changed"), Cell(std::uint64_t{3}));
  EXPECT_EQ(cell("seconds"), Cell(0.5));
  EXPECT_EQ(cell("entries_per_second"), Cell(10.0));
}

TEST(Summary, HasNoRateWhereThereIsNoTime) {
  const Scan scan;
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  std::vector<Cell> cells;
  summary(input).read(0, cells);
  EXPECT_EQ(cells.back(), Cell());
}

std::vector<ReportRequest> every_report() {
  std::vector<ReportRequest> requests;
  for (const ReportInfo& report : kReports) {
    if (report.needs_facts) continue;  // explain_test.cc has filesystems to explain
    requests.push_back({.kind = report.kind, .count = 100, .within = std::chrono::hours(1)});
  }
  return requests;
}

TEST(EveryReport, HasCellsOfTheTypesOfItsColumns) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 100, .blocks = 8});
  made.file(made.directory(top, "d"), "f.txt", {.size = 10, .blocks = 1, .mtime = -10});
  made.file(top, "link", {.mode = S_IFLNK | 0777});
  made.directory(top, "empty");
  Scan scan = scan_of(made.finish());
  scan.errors.push_back({.path = "t/secret", .operation = "open", .code = EACCES});
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  std::vector<Cell> cells;
  for (const Table& table : make_reports(input, every_report())) {
    SCOPED_TRACE(std::string(table.key()));
    EXPECT_GT(table.rows(), 0U) << "nothing would be tested";
    EXPECT_TRUE(table.shape() == TableShape::list || table.rows() == 1);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      table.read(row, cells);
      ASSERT_EQ(cells.size(), table.columns().size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        EXPECT_TRUE(fits(cells[i], table.columns()[i].type)) << table.columns()[i].key;
      }
    }
  }
}

TEST(EveryReport, ExistsForAnEmptyTree) {
  const Scan scan;
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  std::vector<Cell> cells;
  for (const Table& table : make_reports(input, every_report())) {
    for (std::size_t row = 0; row < table.rows(); ++row) table.read(row, cells);
  }
}

TEST(MakeReports, KeepTheOrderOfTheRequestsOnAnyNumberOfThreads) {
  constexpr std::uint32_t kCount = 20'011;  // enough for several threads
  const Scan scan = scan_of(tree_with_ties(kCount, 7));
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  std::vector<ReportRequest> requests = every_report();
  for (std::size_t i = 1; i <= 20; ++i) {
    requests.push_back({.kind = ReportKind::largest_files, .count = i});
  }
  const std::vector<Table> tables = make_reports(input, requests);
  ASSERT_EQ(tables.size(), requests.size());
  std::vector<Cell> one;
  std::vector<Cell> other;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Table alone = make_report(input, requests[i]);
    EXPECT_EQ(tables[i].key(), alone.key());
    ASSERT_EQ(tables[i].rows(), alone.rows());
    for (std::size_t row = 0; row < alone.rows(); ++row) {
      tables[i].read(row, one);
      alone.read(row, other);
      ASSERT_TRUE(one == other);
    }
  }
}

}  // namespace
}  // namespace fathom::fs
