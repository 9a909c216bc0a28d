// Reports about a part of a tree: as if nothing else had been scanned.

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/subtree.h"
#include "fathom/fs/totals.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"
#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

// A scan with what is derived from it.
class Scanned {
 public:
  explicit Scanned(Scan scan)
      : scan_(std::move(scan)), totals_(scan_.tree), children_(scan_.tree) {}

  [[nodiscard]] const Tree& tree() const { return scan_.tree; }
  [[nodiscard]] Subtree whole() const { return Subtree(tree()); }
  [[nodiscard]] Subtree directory(DirId id) const {
    return {tree(), children_, tree().node(id), id};
  }
  [[nodiscard]] Subtree file(NodeId node) const { return {tree(), children_, node, kNoDir}; }

  // The rows of a report, without what depends on the time of the scan.
  [[nodiscard]] Lines report(ReportKind kind, Subtree part) const {
    constexpr std::string_view kTimed[] = {"seconds", "entries_per_second"};
    const ReportInput input(scan_, totals_, Measure::disk, kNow, std::move(part));
    const Table table = make_report(
        input, {.kind = kind, .count = 30, .within = std::chrono::hours(24) * 365 * 40});
    std::vector<std::string_view> keys;
    for (const Column& column : table.columns()) {
      if (std::find(std::begin(kTimed), std::end(kTimed), column.key) == std::end(kTimed)) {
        keys.push_back(column.key);
      }
    }
    return lines(table, keys);
  }

 private:
  const Scan scan_;
  const Totals totals_;
  const Children children_;
};

Scanned scanned(const std::string& root) {
  ScanOptions options;
  options.roots = {root};
  options.read_links = true;
  return Scanned(scan(options));
}

std::vector<ReportKind> kinds() {
  std::vector<ReportKind> all;
  for (const ReportInfo& report : kReports) {
    if (!report.needs_facts) all.push_back(report.kind);
  }
  return all;
}

TEST(PartReports, OfADirectoryAreThoseOfItsOwnScan) {
  testing::TempTree tree;
  testing::generate(tree, {.seed = 3, .directories = 30, .symlinks = 20});
  const Scanned all = scanned(tree.path());
  int compared = 0;
  all.tree().for_each_directory([&](DirId id) {
    const Scanned alone = scanned(all.tree().path(all.tree().node(id)));
    for (const ReportKind kind : kinds()) {
      EXPECT_EQ(all.report(kind, all.directory(id)), alone.report(kind, alone.whole()))
          << report_info(kind).head.key << " of " << all.tree().path(all.tree().node(id));
    }
    ++compared;
  });
  EXPECT_EQ(compared, 31);
}

TEST(PartReports, OfAFileAreThoseOfItsOwnScan) {
  testing::TempTree tree;
  tree.file("a/b/file.txt", 5000);
  tree.file("a/other.txt", 100);
  const Scanned all = scanned(tree.path());
  const Scanned alone = scanned(tree.path("a/b/file.txt"));
  all.tree().for_each_node([&](NodeId node) {
    if (all.tree().name(node) != "file.txt") return;
    for (const ReportKind kind : kinds()) {
      EXPECT_EQ(all.report(kind, all.file(node)), alone.report(kind, alone.whole()))
          << report_info(kind).head.key;
    }
  });
}

TEST(PartReports, HaveNoBytesThatAreCountedOutside) {
  testing::TempTree tree;
  tree.file("a/file", 5000);
  tree.hardlink("a/file", "b/again");
  const Scanned all = scanned(tree.path());
  all.tree().for_each_directory([&](DirId id) {
    if (all.tree().name(all.tree().node(id)) != "b") return;
    EXPECT_EQ(all.report(ReportKind::extensions, all.directory(id)), (Lines{"'' 1 0 0 0"}));
    EXPECT_EQ(all.report(ReportKind::largest_files, all.directory(id)), Lines{});
  });
}

TEST(PartReports, HaveTheErrorsAtAndBelowTheDirectory) {
  HandMadeTree made;
  const DirId top = made.root("/t/");
  const DirId a = made.directory(top, "a");
  made.mark_incomplete(a);
  const DirId b = made.directory(top, "b");
  Scan scan;
  scan.tree = made.finish();
  for (const char* const path : {"/t/a", "/t/a.txt", "/t/a/x", "/t/ab/y"}) {
    scan.errors.push_back({.path = path, .operation = "open", .code = EACCES});
  }
  const Scanned all(std::move(scan));
  const auto paths = [](const Lines& rows) {
    Lines found;
    for (const std::string& row : rows) found.push_back(row.substr(0, row.find(' ')));
    return found;
  };
  EXPECT_EQ(paths(all.report(ReportKind::errors, all.directory(a))), (Lines{"/t/a", "/t/a/x"}));
  EXPECT_EQ(paths(all.report(ReportKind::errors, all.directory(b))), Lines{});
  EXPECT_EQ(all.report(ReportKind::errors, all.directory(top)).size(), 4U);
  EXPECT_EQ(all.report(ReportKind::summary, all.directory(a)), (Lines{"0 1 0 0 1 0 0 0 yes 2 0"}));
  EXPECT_EQ(all.report(ReportKind::summary, all.directory(b)), (Lines{"0 1 0 0 1 0 0 0 no 0 0"}));
}

}  // namespace
}  // namespace fathom::fs
