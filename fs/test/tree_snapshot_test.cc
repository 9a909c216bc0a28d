// TreeBuilder::snapshot(): a tree of the rows so far, while more are added.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/fs/children.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/tree_builder.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

const Entry kDirectory = {.inode = 1, .links = 1, .mode = S_IFDIR | 0755};
const Entry kFile = {.inode = 2, .links = 1, .mode = S_IFREG | 0644};

using Paths = std::vector<std::string>;

std::vector<NodeId> nodes_of(const Tree& tree) {
  std::vector<NodeId> nodes;
  tree.for_each_node([&](NodeId node) { nodes.push_back(node); });
  return nodes;
}

std::vector<DirId> directories_of(const Tree& tree) {
  std::vector<DirId> ids;
  tree.for_each_directory([&](DirId id) { ids.push_back(id); });
  return ids;
}

TEST(TreeSnapshot, OfNothingIsEmpty) {
  TreeBuilder builder;
  const std::vector<base::atomic<NodeId>> none;
  const Tree tree = builder.snapshot(none);
  EXPECT_TRUE(tree.roots().empty());
  EXPECT_EQ(nodes_of(tree).size(), 0U);
  EXPECT_EQ(Totals(tree).whole().entries(), 0U);
}

TEST(TreeSnapshot, DoesNotChangeWhenRowsAreAdded) {
  std::optional<HandMadeTree> made(std::in_place);
  const DirId top = made->root("/t");
  made->file(top, "a", {.size = 3, .blocks = 8});
  const Tree first = made->snapshot();
  made->change_appender();
  made->file(made->directory(top, "d"), "b");
  const Tree second = made->snapshot();
  made->file(top, "c");
  const Tree whole = made->finish();
  made.reset();

  EXPECT_EQ(all_paths(first), (Paths{"/t", "/t/a"}));
  EXPECT_EQ(all_paths(second), (Paths{"/t", "/t/a", "/t/d", "/t/d/b"}));
  EXPECT_EQ(all_paths(whole), (Paths{"/t", "/t/a", "/t/c", "/t/d", "/t/d/b"}));
  EXPECT_EQ(first.entry(find_node(first, "/t/a")).size, 3U);
  EXPECT_EQ(first.roots(), whole.roots());
  EXPECT_EQ(directories_of(first).size(), 1U);
  EXPECT_EQ(directories_of(second).size(), 2U);
}

TEST(TreeSnapshot, OutlivesTheFinalTree) {
  HandMadeTree made;
  const NodeId file = made.file(made.root("/t"), "file", {.size = 7});
  const Tree part = made.snapshot();
  { const Tree whole = made.finish(); }
  EXPECT_EQ(part.path(file), "/t/file");
  EXPECT_EQ(part.entry(file).size, 7U);
}

// It costs one byte per node, not a copy.
TEST(TreeSnapshot, SharesTheRowsOfTheFinalTree) {
  HandMadeTree made;
  const NodeId file = made.file(made.root("/t"), "file");
  const Tree part = made.snapshot();
  const Tree whole = made.finish();
  EXPECT_EQ(part.name(file).data(), whole.name(file).data());
}

class SnapshotRows : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SnapshotRows, EqualThoseThatWereAdded) {
  const std::uint32_t rows = GetParam();
  HandMadeTree made;
  const DirId top = made.root("/t");
  const auto name_of = [](std::uint32_t i) { return "name" + std::to_string(i); };
  std::vector<NodeId> added{made.node_of(top)};
  for (std::uint32_t i = 1; i < rows; ++i) {
    added.push_back(made.file(top, name_of(i), {.size = i, .inode = 5000 + i}));
  }
  const Tree part = made.snapshot();
  for (std::uint32_t i = 0; i < 5000; ++i) made.file(top, "later");
  const Tree whole = made.finish();

  EXPECT_EQ(nodes_of(part), added);
  EXPECT_EQ(nodes_of(whole).size(), rows + 5000);
  for (std::uint32_t i = 1; i < rows; ++i) {
    ASSERT_EQ(part.name(added[i]), name_of(i));
    ASSERT_EQ(part.size(added[i]), i);
    ASSERT_EQ(part.inode(added[i]), 5000 + i);
    ASSERT_EQ(part.parent(added[i]), top);
    ASSERT_EQ(part.flags(added[i]), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(AtChunkBorders, SnapshotRows,
                         ::testing::Values(1, 2, 4095, 4096, 4097, 8191, 8192, 8193));

class SnapshotDirectories : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SnapshotDirectories, EqualThoseThatWereAdded) {
  const std::uint32_t count = GetParam();
  HandMadeTree made;
  std::vector<DirId> added{made.root("/t")};
  while (added.size() < count) added.push_back(made.directory(added[added.size() / 2], "d"));
  const Tree part = made.snapshot();
  for (std::uint32_t i = 0; i < 600; ++i) made.directory(added[0], "later");
  const Tree whole = made.finish();

  EXPECT_EQ(directories_of(part), added);
  EXPECT_EQ(directories_of(whole).size(), count + 600);
  EXPECT_EQ(Totals(part).whole().dirs, count);
  for (const DirId id : added) {
    ASSERT_EQ(part.parent_of(id), whole.parent_of(id));
    ASSERT_EQ(part.depth(id), whole.depth(id));
    ASSERT_EQ(part.node(id), whole.node(id));
  }
}

INSTANTIATE_TEST_SUITE_P(AtChunkBorders, SnapshotDirectories,
                         ::testing::Values(1, 2, 511, 512, 513, 1023, 1024, 1025));

TEST(TreeSnapshot, WorksLikeAnyTree) {
  HandMadeTree made;
  const DirId top = made.root("/t", {.blocks = 8});
  const DirId in = made.directory(top, "in", {.blocks = 8});
  made.file(in, "five", {.size = 5, .blocks = 8});
  const Tree part = made.snapshot();
  made.file(in, "more", {.size = 100, .blocks = 80});
  const Tree whole = made.finish();

  const Totals totals(part);
  EXPECT_EQ(totals.whole().files, 1U);
  EXPECT_EQ(totals.whole().disk_bytes, 3U * 8 * kBlockBytes);
  EXPECT_EQ(totals.below(in).apparent_bytes, 5U);
  const Children children(part);
  EXPECT_EQ(children.directories(top).size(), 1U);
  EXPECT_EQ(children.others(in).size(), 1U);
  EXPECT_EQ(Children(whole).others(in).size(), 2U);
  EXPECT_EQ(Totals(whole).below(in).apparent_bytes, 105U);
}

TEST(TreeSnapshot, CountsEachInodeOnce) {
  HandMadeTree made;
  const Entry twice = {.size = 10, .blocks = 8, .inode = 77, .links = 3};
  const DirId top = made.root("/t");
  const NodeId b = made.file(top, "b", twice);
  const Tree one = made.snapshot();
  const NodeId c = made.file(top, "c", twice);
  const Tree two = made.snapshot();
  const NodeId a = made.file(top, "a", twice);
  const Tree whole = made.finish();

  EXPECT_EQ(one.flags(b), 0);
  EXPECT_EQ(two.flags(b), 0);
  EXPECT_EQ(two.flags(c), kExtraLink);
  EXPECT_EQ(whole.flags(a), 0);
  EXPECT_EQ(whole.flags(b), kExtraLink);
  EXPECT_EQ(whole.flags(c), kExtraLink);
  for (const Tree* tree : {&one, &two, &whole}) {
    EXPECT_EQ(Totals(*tree).whole().apparent_bytes, 10U);
  }
}

TEST(TreeSnapshot, CountsRepeatedEntriesOnce) {
  HandMadeTree made;
  const Entry same = {.size = 10, .inode = 5};
  made.file(made.root("/t/in/deep", same), "file", {.size = 1, .inode = 6});
  const DirId shorter = made.root("/t/in", {.inode = 4});
  const Tree before = made.snapshot();
  made.directory(shorter, "deep", same);
  const Tree after = made.snapshot();
  const NodeId deep = before.roots()[0];
  EXPECT_EQ(before.flags(deep), 0);
  EXPECT_EQ(Totals(before).whole().entries(), 3U);
  EXPECT_EQ(Totals(after).whole().entries(), 3U);
  EXPECT_EQ(Totals(made.finish()).whole().entries(), 3U);
}

TEST(TreeSnapshot, HasTheFlagsSoFar) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  for (int i = 0; i < 600; ++i) made.directory(top, std::to_string(i));
  made.change_appender();
  const DirId other = made.directory(top, "other");
  made.mark(top, kHasOmittedChildren);  // set by another Appender than the one that added it
  const Tree part = made.snapshot();
  made.mark_incomplete(top);
  made.mark_incomplete(other);
  const Tree whole = made.finish();
  EXPECT_EQ(part.flags(made.node_of(top)), kHasOmittedChildren);
  EXPECT_EQ(part.flags(made.node_of(other)), 0);
  EXPECT_EQ(whole.flags(made.node_of(top)), kHasOmittedChildren | kIncomplete);
  EXPECT_EQ(whole.flags(made.node_of(other)), kIncomplete);
}

TEST(TreeSnapshot, NeverHasADirectoryWithoutItsInitialFlags) {
  TreeBuilder builder;
  TreeBuilder::Appender rows(builder);
  std::vector<base::atomic<NodeId>> roots(1);
  const auto [node, id] = rows.add_directory(kNoDir, 0, "/t", kDirectory, kFilteredOut);
  roots[0] = node;
  EXPECT_EQ(builder.snapshot(roots).flags(node), kFilteredOut);
  rows.mark_incomplete(id);
  EXPECT_EQ(builder.snapshot(roots).flags(node), kFilteredOut | kIncomplete);
  EXPECT_EQ(builder.finish({node}).flags(node), kFilteredOut | kIncomplete);
}

TEST(TreeSnapshot, HasARootOnceItIsStored) {
  TreeBuilder builder;
  TreeBuilder::Appender one(builder);
  TreeBuilder::Appender other(builder);
  std::vector<base::atomic<NodeId>> roots(3);
  for (auto& root : roots) root = kNoNode;
  const auto second = one.add_directory(kNoDir, 0, "/second", kDirectory);
  roots[1] = second.node;
  one.add(second.id, "file", kFile);
  const auto first = other.add_directory(kNoDir, 0, "/first", kDirectory);
  const NodeId third = one.add(kNoDir, "/third", kFile);

  const Tree part = builder.snapshot(roots);
  EXPECT_EQ(part.roots(), (std::vector<NodeId>{kNoNode, second.node, kNoNode}));
  EXPECT_EQ(all_paths(part), (Paths{"/second", "/second/file"}));
  EXPECT_EQ(directories_of(part), std::vector<DirId>{second.id});

  roots[0] = first.node;
  roots[2] = third;
  other.add(first.id, "file", kFile);
  const Tree more = builder.snapshot(roots);
  EXPECT_EQ(more.roots(), (std::vector<NodeId>{first.node, second.node, third}));
  EXPECT_EQ(all_paths(more), (Paths{"/first", "/first/file", "/second", "/second/file", "/third"}));
  EXPECT_EQ(directories_of(more).size(), 2U);
  EXPECT_EQ(directories_of(part).size(), 1U);
}

TEST(TreeSnapshot, HasNoTargetsOfLinks) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  const NodeId link = made.symlink(top, "link", {.path = "there", .end = LinkEnd::exists});
  const Tree part = made.snapshot();
  for (int i = 0; i < 1000; ++i) made.symlink(top, "more", {.path = "elsewhere"});
  const Tree whole = made.finish();
  EXPECT_EQ(part.kind(link), Kind::symlink);
  EXPECT_EQ(part.link_target(link), std::nullopt);
  ASSERT_NE(whole.link_target(link), std::nullopt);
  EXPECT_EQ(whole.link_target(link)->path, "there");
}

// Names of each length stay at the same address in the snapshot and in the final tree.
void expect_kept(const std::vector<std::size_t>& lengths) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  std::vector<std::pair<NodeId, std::string>> added;
  std::vector<Tree> parts;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::string name(lengths[i], static_cast<char>('a' + i % 26));
    const NodeId node = made.file(top, name);
    added.emplace_back(node, std::move(name));
    if (std::has_single_bit(i + 1)) parts.push_back(made.snapshot());
  }
  const Tree whole = made.finish();
  for (const auto& [node, name] : added) ASSERT_TRUE(whole.name(node) == name) << name.size();
  for (const Tree& part : parts) {
    for (const NodeId node : nodes_of(part)) {
      ASSERT_EQ(part.name(node).size(), whole.name(node).size());
      ASSERT_EQ(part.name(node).data(), whole.name(node).data());
    }
  }
}

TEST(Names, OfAnyLengthStayAtTheirAddress) {
  expect_kept({1, 20000, 1, 16383, 16384, 255, 1U << 20, 3, 32767, 32768, 1, 65536, 2});
}

TEST(Names, ThatFillTheirBlocksStayAtTheirAddress) {
  expect_kept(std::vector<std::size_t>(200, 16000));
  expect_kept(std::vector<std::size_t>(9000, 255));
}

TEST(Names, ThatAreEmptyAreEmpty) {
  expect_kept(std::vector<std::size_t>(5000, 0));
  expect_kept({16383 - 2, 0, 0, 1, 0, 16383, 0, 0, 40000, 0});
}

TEST(Names, OfManyMegabytesAreRefused) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.file(top, "before");
  EXPECT_THROW(made.file(top, std::string(std::size_t{1} << 26, 'x')), base::Error);
  made.file(top, "after");
  EXPECT_EQ(all_paths(made.finish()), (Paths{"/t", "/t/after", "/t/before"}));
}

}  // namespace
}  // namespace fathom::fs
