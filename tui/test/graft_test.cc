// Tests of Graft: the result is that of a scan of the whole.

#include "model/graft.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <string>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree_builder.h"

namespace fathom::tui {
namespace {

constexpr std::uint16_t kFile = S_IFREG | 0644;
constexpr std::uint16_t kDirectory = S_IFDIR | 0755;

// A scan of /t with /t/a and /t/b. A file in a is called as given; b/link is a name of the same
// inode.
fs::Scan scan_of(const std::string& name_in_a, std::uint64_t size) {
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const fs::Entry directory{.size = 1, .inode = 1, .links = 1, .mode = kDirectory};
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", directory);
    root = top.node;
    const auto a = rows.add_directory(top.id, 1, "a", {.size = 1, .inode = 2, .mode = kDirectory});
    const auto b = rows.add_directory(top.id, 1, "b", {.size = 1, .inode = 3, .mode = kDirectory});
    const auto deep =
        rows.add_directory(a.id, 2, "deep", {.size = 1, .inode = 4, .mode = kDirectory});
    rows.add(deep.id, name_in_a, {.size = size, .inode = 7, .links = 2, .mode = kFile});
    rows.add(b.id, "link", {.size = size, .inode = 7, .links = 2, .mode = kFile});
    rows.add(a.id, "same", {.size = 5, .inode = 8, .links = 1, .mode = kFile});
  }
  fs::Scan scan;
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  scan.errors = {{"/t/a/deep", "list", 5}, {"/t/ab", "open", 13}};
  return scan;
}

// A scan of /t/a alone.
fs::Scan scan_of_a(const std::string& name, std::uint64_t size) {
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto a =
        rows.add_directory(fs::kNoDir, 0, "/t/a", {.size = 1, .inode = 2, .mode = kDirectory});
    root = a.node;
    const auto deep =
        rows.add_directory(a.id, 1, "deep", {.size = 1, .inode = 4, .mode = kDirectory});
    rows.add(deep.id, name, {.size = size, .inode = 7, .links = 2, .mode = kFile});
    rows.add(a.id, "same", {.size = 5, .inode = 8, .links = 1, .mode = kFile});
  }
  fs::Scan scan;
  scan.roots = {"/t/a"};
  scan.tree = builder.finish({root});
  return scan;
}

fs::DirId directory_at(const fs::Tree& tree, const std::string& path) {
  fs::DirId found = fs::kNoDir;
  tree.for_each_directory([&](fs::DirId id) {
    if (tree.path(tree.node(id)) == path) found = id;
  });
  return found;
}

std::map<std::string, std::uint64_t> sizes_by_path(const fs::Tree& tree) {
  std::map<std::string, std::uint64_t> sizes;
  tree.for_each_node([&](fs::NodeId node) { sizes[tree.path(node)] = tree.size(node); });
  return sizes;
}

TEST(Graft, IsWhatAScanOfTheWholeWouldFind) {
  const fs::Scan old = scan_of("old", 100);
  const fs::DirId a = directory_at(old.tree, "/t/a");
  const Grafted grafted = graft(old, a, scan_of_a("new", 100));
  const fs::Tree& tree = grafted.scan.tree;
  EXPECT_EQ(sizes_by_path(tree), sizes_by_path(scan_of("new", 100).tree));
  // One of the two names of the inode counts.
  EXPECT_EQ(fs::Totals(tree).whole().apparent_bytes, 4U + 100 + 5);
  ASSERT_EQ(grafted.scan.errors.size(), 1U);
  EXPECT_EQ(grafted.scan.errors[0].path, "/t/ab");
}

TEST(Graft, KeepsTheIdentityOfEntriesByName) {
  const fs::Scan old = scan_of("old", 100);
  const Grafted grafted = graft(old, directory_at(old.tree, "/t/a"), scan_of_a("new", 9));
  old.tree.for_each_node([&](fs::NodeId node) {
    const std::string path = old.tree.path(node);
    const fs::NodeId now = grafted.numbers.nodes[node];
    if (path == "/t/a/deep/old") {
      EXPECT_EQ(now, fs::kNoNode);
    } else {
      ASSERT_NE(now, fs::kNoNode) << path;
      EXPECT_EQ(grafted.scan.tree.path(now), path);
    }
  });
  old.tree.for_each_directory([&](fs::DirId id) {
    const fs::DirId now = grafted.numbers.directories[id];
    EXPECT_EQ(grafted.scan.tree.path(grafted.scan.tree.node(now)),
              old.tree.path(old.tree.node(id)));
  });
}

TEST(Graft, OfADirectoryThatIsGoneRemovesIt) {
  const fs::Scan old = scan_of("old", 100);
  const fs::DirId a = directory_at(old.tree, "/t/a");
  fs::Scan gone;
  gone.roots = {"/t/a"};
  const Grafted grafted = graft(old, a, gone);
  EXPECT_EQ(grafted.numbers.directories[a], fs::kNoDir);
  EXPECT_EQ(sizes_by_path(grafted.scan.tree),
            (std::map<std::string, std::uint64_t>{{"/t", 1}, {"/t/b", 1}, {"/t/b/link", 100}}));
}

TEST(Graft, OfTheOnlyRootLeavesNothingOfAScanThatWasEndedEarly) {
  fs::Scan old = scan_of("old", 100);
  old.cancelled = true;
  EXPECT_FALSE(graft(old, directory_at(old.tree, "/t"), scan_of("new", 3)).scan.cancelled);
  EXPECT_TRUE(graft(old, directory_at(old.tree, "/t/a"), scan_of_a("new", 3)).scan.cancelled);
}

TEST(Graft, ReplacesARootAsAWhole) {
  const fs::Scan old = scan_of("old", 100);
  const Grafted grafted = graft(old, directory_at(old.tree, "/t"), scan_of("new", 3));
  EXPECT_EQ(sizes_by_path(grafted.scan.tree), sizes_by_path(scan_of("new", 3).tree));
}

}  // namespace
}  // namespace fathom::tui
