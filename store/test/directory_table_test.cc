// Directories of a snapshot are found by path, with their sums.

#include "snapshot/directory_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::store {
namespace {

using testing::TempTree;

fs::Scan scan_of_roots(const std::vector<std::string>& roots) {
  fs::ScanOptions options;
  options.roots = roots;
  return fs::scan(options);
}

Snapshot snapshot_of(const fs::Scan& scan) {
  rt::Executor executor({.threads = 2});
  SnapshotOptions options;
  options.meta.roots = scan.roots;
  // Small groups, so that there are several.
  options.group_rows = 1500;
  return Snapshot::of(scan, options, executor);
}

TEST(DirectoryTable, FindsEveryDirectoryByItsPath) {
  TempTree tree;
  testing::generate(tree, {.seed = 3, .directories = 4000, .files_per_directory = 1});
  const fs::Scan scan = scan_of_roots({tree.path()});
  const fs::Totals totals(scan.tree);
  const Snapshot kept = snapshot_of(scan);
  DirectoryTable table(kept.files().directories);
  scan.tree.for_each_directory([&](fs::DirId id) {
    const fs::NodeId node = scan.tree.node(id);
    const auto row = table.find(scan.tree.path(node));
    ASSERT_TRUE(row) << scan.tree.path(node);
    EXPECT_EQ(static_cast<std::uint64_t>(table.number(DirectoryColumn::disk_bytes, *row)),
              totals.below(id).disk_bytes);
    EXPECT_EQ(table.entries(*row).size(), totals.below(id).entries());
    EXPECT_EQ(table.name(*row), scan.tree.name(node));
  });
}

TEST(DirectoryTable, SaysWhereSumsAreLowerBounds) {
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto folder = [&](fs::DirId in, std::uint32_t depth, const char* name,
                            std::uint64_t inode, std::uint8_t flags = 0) {
      return rows.add_directory(in, depth, name, {.inode = inode, .links = 1, .mode = 0040755},
                                flags);
    };
    const auto top = folder(fs::kNoDir, 0, "/r", 1);
    root = top.node;
    const auto a = folder(top.id, 1, "a", 2);
    folder(a.id, 2, "complete", 3);
    folder(a.id, 2, "incomplete", 4, fs::kIncomplete);
    folder(top.id, 1, "b", 5);
  }
  fs::Scan scan;
  scan.roots = {"/r"};
  scan.tree = builder.finish({root});
  const Snapshot kept = snapshot_of(scan);
  DirectoryTable table(kept.files().directories);
  const auto lower_bound = [&](const char* path) {
    return table.number(DirectoryColumn::lower_bound, *table.find(path)) != 0;
  };
  for (const char* path : {"/r", "/r/a", "/r/a/incomplete"}) EXPECT_TRUE(lower_bound(path)) << path;
  for (const char* path : {"/r/b", "/r/a/complete"}) EXPECT_FALSE(lower_bound(path)) << path;
}

TEST(DirectoryTable, PrefersTheLongestRoot) {
  TempTree tree;
  tree.file("a/b/c/file", 1);
  tree.dir("a/bc");
  const Snapshot kept = snapshot_of(scan_of_roots({tree.path("a"), tree.path("a/b")}));
  DirectoryTable table(kept.files().directories);
  EXPECT_EQ(table.roots().size(), 2U);
  EXPECT_EQ(table.find(tree.path("a/b")), std::optional<std::uint64_t>(1));
  EXPECT_TRUE(table.find(tree.path("a/b/c")));
  EXPECT_TRUE(table.find(tree.path("a/bc")));
  EXPECT_TRUE(table.find(tree.path("a/")));
}

TEST(DirectoryTable, FindsNothingElse) {
  TempTree tree;
  tree.file("a/file", 1);
  const Snapshot kept = snapshot_of(scan_of_roots({tree.path("a")}));
  DirectoryTable table(kept.files().directories);
  EXPECT_FALSE(table.find(tree.path("a/file")));
  EXPECT_FALSE(table.find(tree.path("a/b")));
  EXPECT_FALSE(table.find(tree.path()));
  EXPECT_FALSE(table.find(tree.path("ab")));
  EXPECT_FALSE(table.find(""));
}

TEST(DirectoryTable, FindsBelowTheRootDirectory) {
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const fs::Entry entry{.inode = 1, .links = 1, .mode = 0040755};
    const auto top = rows.add_directory(fs::kNoDir, 0, "/", entry);
    root = top.node;
    rows.add_directory(top.id, 1, "srv", {.inode = 2, .links = 1, .mode = 0040755});
  }
  fs::Scan scan;
  scan.roots = {"/"};
  scan.tree = builder.finish({root});
  const Snapshot kept = snapshot_of(scan);
  DirectoryTable table(kept.files().directories);
  EXPECT_EQ(table.find("/"), std::optional<std::uint64_t>(0));
  EXPECT_EQ(table.find("/srv"), std::optional<std::uint64_t>(1));
  EXPECT_FALSE(table.find("/sr"));
}

TEST(DirectoryTable, OfAnEmptySnapshotIsEmpty) {
  const Snapshot kept = snapshot_of({});
  DirectoryTable table(kept.files().directories);
  EXPECT_EQ(table.rows(), 0U);
  EXPECT_EQ(table.roots().size(), 0U);
  EXPECT_FALSE(table.find("/"));
}

}  // namespace
}  // namespace fathom::store
