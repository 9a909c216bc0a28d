// Progress::snapshot: what a scan has found while it is running.

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "every_way.h"
#include "fathom/fs/children.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

// Slow enough for several progress calls on any machine.
ScanOptions slow_options(const Way& way, std::vector<std::string> roots) {
  ScanOptions options = options_for(way, std::move(roots));
  options.max_operations_per_second = 20'000;
  options.progress_interval = std::chrono::milliseconds(1);
  return options;
}

std::map<std::string, Entry> entries_by_path(const Tree& tree) {
  std::map<std::string, Entry> entries;
  tree.for_each_node([&](NodeId node) { entries.emplace(tree.path(node), tree.entry(node)); });
  return entries;
}

// Everything in it is in the scan's result, and its sums are not larger.
void expect_part_of(const Scan& part, const Scan& all,
                    const std::map<std::string, Entry>& entries) {
  EXPECT_TRUE(part.running);
  EXPECT_FALSE(part.cancelled);
  EXPECT_FALSE(part.complete());
  EXPECT_EQ(part.roots, all.roots);
  ASSERT_EQ(part.tree.roots().size(), all.roots.size());
  part.tree.for_each_node([&](NodeId node) {
    const auto found = entries.find(part.tree.path(node));
    ASSERT_NE(found, entries.end()) << part.tree.path(node);
    EXPECT_EQ(found->second.inode, part.tree.inode(node));
    EXPECT_EQ(found->second.size, part.tree.size(node));
  });
  const Counts some = Totals(part.tree).whole();
  const Counts whole = Totals(all.tree).whole();
  EXPECT_LE(some.entries(), whole.entries());
  EXPECT_LE(some.disk_bytes, whole.disk_bytes);
  EXPECT_LE(some.apparent_bytes, whole.apparent_bytes);
  EXPECT_NO_THROW(static_cast<void>(Children(part.tree)));
  EXPECT_NO_THROW((void)parse(json_of(part, {{.kind = ReportKind::largest_dirs, .count = 100}})));
}

// Scans and keeps some snapshots, which are checked after the scan.
void expect_parts_and_the_same_result(const ScanOptions& asked, const std::string& expected) {
  std::vector<Scan> parts;
  std::size_t calls = 0;
  Counts last;
  ScanOptions options = asked;
  options.progress = [&](const Progress& progress) {
    Scan part = progress.snapshot();
    const Counts counts = Totals(part.tree).whole();
    EXPECT_GE(counts.entries(), last.entries());
    EXPECT_GE(counts.disk_bytes, last.disk_bytes);
    EXPECT_GE(counts.apparent_bytes, last.apparent_bytes);
    EXPECT_GE(counts.entries(), progress.entries > 0 ? 1U : 0U);
    last = counts;
    if (++calls % 8 == 1) parts.push_back(std::move(part));
  };
  const Scan all = scan(options);
  EXPECT_FALSE(all.running);
  EXPECT_TRUE(all.complete()) << describe(all.errors);
  EXPECT_TRUE(comparable_json(all) == expected);
  if (asked.max_operations_per_second > 0) {
    EXPECT_GT(calls, 0U);
  }
  const std::map<std::string, Entry> entries = entries_by_path(all.tree);
  for (const Scan& part : parts) expect_part_of(part, all, entries);
}

TEST(ScanSnapshot, IsAPartOfTheResultAndDoesNotChangeIt) {
  TempTree tree;
  testing::generate(
      tree, {.directories = 300, .files_per_directory = 3, .hard_links = 100, .symlinks = 20});
  const std::string expected = comparable_json(scan(options_for({}, {tree.path()})));
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    expect_parts_and_the_same_result(slow_options(way, {tree.path()}), expected);
  }
}

TEST(ScanSnapshot, IsAPartOfTheResultOfAScanAtFullSpeed) {
  TempTree tree;
  testing::generate(
      tree, {.directories = kSmall ? 500U : 1500U, .files_per_directory = 3, .hard_links = 300});
  const std::string expected = comparable_json(scan(options_for({}, {tree.path()})));
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    options.progress_interval = std::chrono::milliseconds(1);
    expect_parts_and_the_same_result(options, expected);
  }
}

TEST(ScanSnapshot, HasTheErrorsAndRootsSoFar) {
  TempTree tree;
  testing::generate(tree, {.directories = 100});
  const std::vector<std::string> roots = {tree.path("missing"), tree.path()};
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = slow_options(way, roots);
    std::vector<Scan> parts;
    options.progress = [&](const Progress& progress) { parts.push_back(progress.snapshot()); };
    const Scan all = scan(options);
    ASSERT_EQ(all.errors.size(), 1U);
    ASSERT_FALSE(parts.empty());
    for (const Scan& part : parts) {
      EXPECT_EQ(part.roots, roots);
      ASSERT_EQ(part.tree.roots().size(), 2U);
      EXPECT_EQ(part.tree.roots()[0], kNoNode);
      ASSERT_LE(part.errors.size(), 1U);
      if (part.errors.empty()) continue;
      EXPECT_EQ(part.errors[0].path, roots[0]);
      EXPECT_EQ(part.errors[0].code, all.errors[0].code);
    }
  }
}

// A directory that does not match is never counted, not even temporarily.
TEST(ScanSnapshot, DoesNotCountFilteredOutEntries) {
  TempTree tree;
  testing::generate(tree, {.directories = 300});
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = slow_options(way, {tree.path()});
    options.selection.kinds = {Kind::file};
    std::size_t calls = 0;
    options.progress = [&](const Progress& progress) {
      ++calls;
      EXPECT_EQ(Totals(progress.snapshot().tree).whole().dirs, 0U);
    };
    const Scan all = scan(options);
    EXPECT_EQ(Totals(all.tree).whole().dirs, 0U);
    EXPECT_GT(all.filtered_out, 0U);
    EXPECT_GT(calls, 0U);
  }
}

TEST(ScanSnapshot, OutlivesTheScan) {
  TempTree tree;
  testing::generate(tree, {.directories = 300});
  const Scan all = scan(options_for({}, {tree.path()}));
  const std::map<std::string, Entry> entries = entries_by_path(all.tree);
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = slow_options(way, {tree.path()});
    std::optional<Scan> part;
    options.progress = [&](const Progress& progress) {
      part = progress.snapshot();
      throw std::runtime_error("enough");
    };
    EXPECT_THROW(static_cast<void>(scan(options)), std::runtime_error);
    ASSERT_TRUE(part.has_value());
    expect_part_of(*part, all, entries);
  }
}

TEST(ScanSnapshot, MayBeReadByAnyThreadWhileTheScanGoesOn) {
  TempTree tree;
  testing::generate(tree, {.directories = 200, .hard_links = 50});
  const Counts all = Totals(scan(options_for({}, {tree.path()})).tree).whole();
  for (const Way& way : ways_with({2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = slow_options(way, {tree.path()});
    std::vector<std::thread> readers;
    options.progress = [&](const Progress& progress) {
      if (readers.size() == 20) return;
      readers.emplace_back([&all, part = std::make_shared<const Scan>(progress.snapshot())] {
        EXPECT_LE(Totals(part->tree).whole().entries(), all.entries());
        part->tree.for_each_node([&](NodeId node) { EXPECT_FALSE(part->tree.path(node).empty()); });
      });
    };
    const Scan found = scan(options);
    EXPECT_FALSE(readers.empty());
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(Totals(found.tree).whole().entries(), all.entries());
  }
}

}  // namespace
}  // namespace fathom::fs
