// Directories of snapshots are listed as the tree of the scan has them.

#include "fathom/store/directory_listing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree_builder.h"

namespace fathom::store {
namespace {

using Names = std::vector<std::string>;

fs::Entry listed_inode(std::uint16_t mode, std::uint64_t blocks = 0, std::uint64_t size = 0) {
  static std::uint64_t inode = 1000;
  fs::Entry entry;
  entry.mode = mode;
  entry.links = 1;
  entry.device = 1;
  entry.inode = ++inode;
  entry.blocks = blocks;
  entry.size = size;
  entry.times.mtime = 5'000'000'000;
  return entry;
}

fs::Entry listed_directory() {
  return listed_inode(S_IFDIR | 0755, 8, 4096);
}
fs::Entry listed_file(std::uint64_t blocks, std::uint64_t size) {
  return listed_inode(S_IFREG | 0644, blocks, size);
}

Snapshot listed_snapshot(const fs::Scan& scan) {
  rt::Executor executor({.threads = 1});
  SnapshotOptions options;
  options.meta.roots = scan.roots;
  options.meta.users = {{3, "anne"}, {2, "bob"}};
  options.group_rows = 1000;  // so that there are several groups
  return Snapshot::of(scan, options, executor);
}

Names names_of(const DirectoryListing& listing) {
  Names names;
  for (const ListedEntry& entry : listing.entries) names.push_back(entry.name);
  return names;
}

// A tree in which most directories have both files and subdirectories, between each other.
fs::Scan many_levels() {
  fs::TreeBuilder builder(true);
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", listed_directory());
    root = top.node;
    for (int i = 0; i < 60; ++i) {
      const std::string number = std::to_string(i);
      const auto below = rows.add_directory(top.id, 1, "d" + number, listed_directory());
      rows.add(top.id, "d" + number + "-file", listed_file(i, i * 100));
      for (int j = 0; j < 40; ++j) {
        rows.add(below.id, "f" + std::to_string(j), listed_file(j, j));
      }
      const auto deep = rows.add_directory(below.id, 2, "f2deep", listed_directory());
      rows.add(deep.id, "only", listed_file(16, 1));
    }
  }
  fs::Scan scan;
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  return scan;
}

// ---- Against the tree

using ListedFacts = std::tuple<std::string, fs::Kind, std::uint64_t, std::uint64_t, std::uint64_t,
                               std::uint64_t, std::uint16_t>;

std::vector<ListedFacts> facts_in_tree(const fs::Scan& scan, fs::DirId directory) {
  const fs::Totals totals(scan.tree);
  std::vector<ListedFacts> facts;
  scan.tree.for_each_directory([&](fs::DirId id) {
    if (scan.tree.parent_of(id) != directory) return;
    const fs::NodeId node = scan.tree.node(id);
    std::uint64_t inside = 0;
    scan.tree.for_each_node([&](fs::NodeId one) { inside += scan.tree.parent(one) == id ? 1 : 0; });
    const fs::Counts below = totals.below(id);
    facts.emplace_back(scan.tree.name(node), fs::Kind::directory, below.disk_bytes,
                       below.apparent_bytes, below.entries(), inside, scan.tree.entry(node).mode);
  });
  scan.tree.for_each_node([&](fs::NodeId node) {
    if (scan.tree.parent(node) != directory || scan.tree.kind(node) == fs::Kind::directory) return;
    const fs::Entry entry = scan.tree.entry(node);
    facts.emplace_back(scan.tree.name(node), scan.tree.kind(node), entry.disk_bytes(),
                       entry.apparent_bytes(), 1, 0, entry.mode);
  });
  std::sort(facts.begin(), facts.end());
  return facts;
}

std::vector<ListedFacts> facts_in_listing(const DirectoryListing& listing) {
  std::vector<ListedFacts> facts;
  for (const ListedEntry& entry : listing.entries) {
    facts.emplace_back(entry.name, entry.kind, entry.counts.disk_bytes, entry.counts.apparent_bytes,
                       entry.counts.entries(), entry.entries, entry.inode->mode);
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

TEST(DirectoryListing, HasTheEntriesAndSumsOfTheTreeInEveryDirectory) {
  const fs::Scan scan = many_levels();
  const Snapshot kept = listed_snapshot(scan);
  scan.tree.for_each_directory([&](fs::DirId id) {
    const std::string path = scan.tree.path(scan.tree.node(id));
    const DirectoryListing listing = list_directory(kept, {.path = path, .limit = 1000});
    EXPECT_EQ(listing.path, path);
    EXPECT_EQ(facts_in_listing(listing), facts_in_tree(scan, id)) << path;
    EXPECT_EQ(listing.total, listing.entries.size());
    EXPECT_EQ(listing.entry.entries, listing.total);
  });
}

// ---- The order

TEST(DirectoryListing, IsSortedByEachOrder) {
  fs::TreeBuilder builder(true);
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", listed_directory());
    root = top.node;
    fs::Entry entry = listed_file(8, 1);
    entry.uid = 2;
    entry.times.mtime = 9'000'000'000;
    rows.add(top.id, "a", entry);
    entry = listed_directory();
    entry.uid = 3;
    entry.times.mtime = 7'000'000'000;
    const auto inside = rows.add_directory(top.id, 1, "b", entry);
    rows.add(inside.id, "x", listed_file(80, 3));
    entry = listed_file(16, 9000);
    entry.uid = 9;
    entry.mtime = entry.times.mtime = fs::kUnknownTime;
    rows.add(top.id, "c", entry);
    entry = listed_file(16, 2);
    entry.uid = fs::kUnknownOwner;
    entry.times.mtime = -1;
    rows.add(top.id, "d", entry);
  }
  fs::Scan scan;
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  const Snapshot kept = listed_snapshot(scan);
  const auto by = [&](ListingOrder order, bool descending,
                      fs::Measure measure = fs::Measure::disk) {
    return names_of(list_directory(
        kept, {.path = "/t", .measure = measure, .order = order, .descending = descending}));
  };
  EXPECT_EQ(by(ListingOrder::size, true), (Names{"b", "c", "d", "a"}));
  EXPECT_EQ(by(ListingOrder::size, false), (Names{"a", "c", "d", "b"}));
  EXPECT_EQ(by(ListingOrder::size, true, fs::Measure::apparent), (Names{"c", "b", "d", "a"}));
  EXPECT_EQ(by(ListingOrder::name, false), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(by(ListingOrder::name, true), (Names{"d", "c", "b", "a"}));
  EXPECT_EQ(by(ListingOrder::entries, true), (Names{"b", "a", "c", "d"}));
  EXPECT_EQ(by(ListingOrder::modified, true), (Names{"a", "b", "d", "c"}));
  EXPECT_EQ(by(ListingOrder::owner, false), (Names{"b", "a", "c", "d"}));
}

TEST(DirectoryListing, HasPages) {
  const Snapshot kept = listed_snapshot(many_levels());
  const ListingOptions all{.path = "/t", .limit = 1000};
  const Names names = names_of(list_directory(kept, all));
  Names together;
  for (std::uint64_t offset = 0; offset < names.size() + 7; offset += 7) {
    const DirectoryListing page =
        list_directory(kept, {.path = "/t", .offset = offset, .limit = 7});
    EXPECT_EQ(page.total, names.size());
    for (const std::string& name : names_of(page)) together.push_back(name);
  }
  EXPECT_EQ(together, names);
}

// ---- Paths

TEST(DirectoryListing, OfAnotherEntryHasOnlyTheEntry) {
  const Snapshot kept = listed_snapshot(many_levels());
  const DirectoryListing listing = list_directory(kept, {.path = "/t/d7/f31"});
  EXPECT_EQ(listing.path, "/t/d7/f31");
  EXPECT_EQ(listing.entry.name, "f31");
  EXPECT_EQ(listing.entry.kind, fs::Kind::file);
  EXPECT_EQ(listing.entry.counts.disk_bytes, 31U * 512);
  EXPECT_EQ(listing.total, 0U);
  EXPECT_TRUE(listing.entries.empty());
}

TEST(DirectoryListing, IsRefusedForPathsThatTheSnapshotDoesNotHave) {
  const Snapshot kept = listed_snapshot(many_levels());
  for (const char* path : {"/", "/u", "/tt", "/t/d7/f99", "/t/d7/f31/x", "/t/d7/f31/", "t", "x"}) {
    EXPECT_THROW(static_cast<void>(list_directory(kept, {.path = path})), NotFound) << path;
  }
}

TEST(DirectoryListing, IgnoresSuperfluousSlashes) {
  const Snapshot kept = listed_snapshot(many_levels());
  EXPECT_EQ(list_directory(kept, {.path = "/t//d7/"}).path, "/t/d7");
}

TEST(DirectoryListing, WithoutAPathIsOfTheOnlyRoot) {
  const Snapshot kept = listed_snapshot(many_levels());
  const DirectoryListing listing = list_directory(kept, {});
  EXPECT_EQ(listing.path, "/t");
  EXPECT_EQ(listing.entry.name, "/t");
  EXPECT_EQ(listing.total, 120U);
}

TEST(DirectoryListing, WithoutAPathIsOfThePlaceAboveSeveralRoots) {
  fs::TreeBuilder builder(true);
  std::vector<fs::NodeId> roots;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto second = rows.add_directory(fs::kNoDir, 0, "/t", listed_directory());
    rows.add(second.id, "x", listed_file(8, 1));
    roots = {second.node, rows.add(fs::kNoDir, "/file", listed_file(24, 5)),
             rows.add_directory(fs::kNoDir, 0, "/a", listed_directory()).node};
  }
  fs::Scan scan;
  scan.roots = {"/t", "/file", "/a"};
  scan.tree = builder.finish(roots);
  const Snapshot kept = listed_snapshot(scan);
  const DirectoryListing above = list_directory(kept, {});
  EXPECT_EQ(above.path, "");
  EXPECT_EQ(above.entry.name, "");
  EXPECT_FALSE(above.entry.inode);
  EXPECT_EQ(above.entry.counts.disk_bytes, 48U * 512);
  EXPECT_EQ(names_of(above), (Names{"/file", "/t", "/a"}));
  const auto names = list_directory(kept, {.order = ListingOrder::name, .descending = false});
  EXPECT_EQ(names_of(names), (Names{"/a", "/file", "/t"}));
  EXPECT_EQ(list_directory(kept, {.path = "/file"}).entry.counts.disk_bytes, 24U * 512);
}

TEST(DirectoryListing, KeepsNamesThatAreNotUtf8) {
  fs::TreeBuilder builder(true);
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", listed_directory());
    root = top.node;
    rows.add(top.id, "a\xff", listed_file(8, 1));
    rows.add(top.id, "plain", listed_file(8, 1));
    rows.add_directory(top.id, 1, "d\xfe", listed_directory());
  }
  fs::Scan scan;
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  const Snapshot kept = listed_snapshot(scan);
  EXPECT_EQ(names_of(list_directory(kept, {.path = "/t"})), (Names{"a\xff", "d\xfe", "plain"}));
  EXPECT_EQ(list_directory(kept, {.path = "/t/a\xff"}).entry.name, "a\xff");
  EXPECT_EQ(list_directory(kept, {.path = "/t/d\xfe"}).entry.name, "d\xfe");
}

TEST(DirectoryListing, OfAnEmptyDirectoryIsEmpty) {
  fs::TreeBuilder builder(true);
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    root = rows.add_directory(fs::kNoDir, 0, "/t", listed_directory()).node;
  }
  fs::Scan scan;
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  const DirectoryListing listing = list_directory(listed_snapshot(scan), {});
  EXPECT_EQ(listing.total, 0U);
  EXPECT_TRUE(listing.entries.empty());
}

}  // namespace
}  // namespace fathom::store
