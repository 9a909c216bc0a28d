// Link resolution: every byte is counted once, at the smallest path, in whatever order the names
// were found.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

TEST(HardLinks, BelongToTheSmallestPathWhateverTheOrderOfInsertion) {
  // In byte order: '.' is before '/', so r/a.b/x is the smallest.
  const std::vector<std::pair<std::string, std::string>> names = {
      {"a.b", "x"}, {"a", "x"}, {"a", "y"}, {"b", "a"}};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    HandMadeTree made;
    const DirId top = made.root("r");
    const DirId in_ab = made.directory(top, "a.b");
    const DirId in_b = made.directory(top, "b");
    const DirId in_a = made.directory(top, "a");
    std::vector<NodeId> nodes(names.size());
    for (const std::size_t i : order) {
      const auto& [in, name] = names[i];
      const DirId parent = in == "a" ? in_a : in == "b" ? in_b : in_ab;
      made.change_appender();
      nodes[i] = made.file(parent, name, {.size = 10, .blocks = 8, .inode = 7, .links = 4});
    }
    const Tree tree = made.finish();
    EXPECT_EQ(tree.flags(nodes[0]), 0);
    EXPECT_EQ(tree.flags(nodes[1]), kExtraLink);
    EXPECT_EQ(tree.flags(nodes[2]), kExtraLink);
    EXPECT_EQ(tree.flags(nodes[3]), kExtraLink);

    const Totals totals(tree);
    EXPECT_EQ(totals.whole().files, 4U);
    EXPECT_EQ(totals.whole().apparent_bytes, 10U);
    EXPECT_EQ(totals.whole().disk_bytes, 4096U);
    EXPECT_EQ(totals.below(in_ab).apparent_bytes, 10U);
    EXPECT_EQ(totals.below(in_a).apparent_bytes, 0U);
    EXPECT_EQ(totals.below(in_a).files, 2U);
    EXPECT_EQ(totals.below(in_b).apparent_bytes, 0U);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(HardLinks, AreOneInodeOnlyOnOneDevice) {
  HandMadeTree made;
  const DirId top = made.root("r");
  const NodeId here = made.file(top, "a", {.size = 1, .inode = 7, .device = 1, .links = 2});
  const NodeId there = made.file(top, "b", {.size = 2, .inode = 7, .device = 2, .links = 2});
  const NodeId again = made.file(top, "c", {.size = 1, .inode = 7, .device = 1, .links = 2});
  const Tree tree = made.finish();
  EXPECT_EQ(tree.flags(here), 0);
  EXPECT_EQ(tree.flags(there), 0);
  EXPECT_EQ(tree.flags(again), kExtraLink);
  EXPECT_EQ(Totals(tree).whole().apparent_bytes, 3U);
}

TEST(HardLinks, AreDistinguishedByEveryBitOfTheInode) {
  HandMadeTree made;
  const DirId top = made.root("r");
  for (int bit = 0; bit < 64; ++bit) {
    made.file(top, "f" + std::to_string(bit), {.size = 1, .inode = 1ULL << bit, .links = 2});
  }
  EXPECT_EQ(Totals(made.finish()).whole().apparent_bytes, 64U);
}

TEST(HardLinks, WithOneVisibleNameAreCountedThere) {
  HandMadeTree made;
  const DirId top = made.root("r");
  const NodeId only = made.file(top, "only", {.size = 3, .links = 1000});
  const Tree tree = made.finish();
  EXPECT_EQ(tree.flags(only), 0);
  EXPECT_EQ(Totals(tree).whole().apparent_bytes, 3U);
}

TEST(HardLinks, OfManyNamesAndManyInodesAreEachCountedOnce) {
  constexpr std::uint64_t kInodes = 1000;
  HandMadeTree made;
  const DirId top = made.root("r");
  std::vector<DirId> in;
  for (int i = 9; i >= 0; --i) in.push_back(made.directory(top, std::to_string(i)));
  for (std::uint64_t i = 0; i < kInodes; ++i) {
    for (std::size_t d = 0; d < in.size(); ++d) {
      made.file(in[(d + i) % in.size()], std::to_string(i),
                {.size = i, .inode = 5000 + i, .links = 10});
    }
  }
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.whole().apparent_bytes, kInodes * (kInodes - 1) / 2);
  EXPECT_EQ(totals.whole().files, 10 * kInodes);
  // All are counted in r/0, which is the smallest.
  EXPECT_EQ(totals.below(in.back()).apparent_bytes, kInodes * (kInodes - 1) / 2);
  EXPECT_EQ(totals.below(in.front()).apparent_bytes, 0U);
}

TEST(HardLinks, OfSymlinksAndFifosAreResolvedToo) {
  HandMadeTree made;
  const DirId top = made.root("r");
  const Entry link{.size = 4, .inode = 5, .links = 2, .mode = S_IFLNK | 0777};
  const Entry fifo{.size = 0, .blocks = 1, .inode = 6, .links = 2, .mode = S_IFIFO | 0600};
  made.file(top, "b", link);
  made.file(top, "a", link);
  made.file(top, "d", fifo);
  made.file(top, "c", fifo);
  const Tree tree = made.finish();
  EXPECT_EQ(tree.flags(find_node(tree, "r/a")), 0);
  EXPECT_EQ(tree.flags(find_node(tree, "r/b")), kExtraLink);
  EXPECT_EQ(tree.flags(find_node(tree, "r/c")), 0);
  EXPECT_EQ(tree.flags(find_node(tree, "r/d")), kExtraLink);
  EXPECT_EQ(Totals(tree).whole().symlinks, 2U);
  EXPECT_EQ(Totals(tree).whole().others, 2U);
  EXPECT_EQ(Totals(tree).whole().apparent_bytes, 4U);
  EXPECT_EQ(Totals(tree).whole().disk_bytes, 512U);
}

TEST(HardLinks, AreNotDirectoriesWithManyLinks) {
  HandMadeTree made;
  const DirId top = made.root("r", {.links = 5});
  const DirId in = made.directory(top, "in", {.links = 3});
  const Tree tree = made.finish();
  EXPECT_EQ(tree.flags(made.node_of(top)), 0);
  EXPECT_EQ(tree.flags(made.node_of(in)), 0);
}

// A tree found through two overlapping roots: /t with sub below, and /t/sub again.
struct Overlap {
  static constexpr Entry kTop{.size = 100, .blocks = 1, .inode = 1};
  static constexpr Entry kSub{.size = 200, .blocks = 2, .inode = 2};
  static constexpr Entry kFile{.size = 400, .blocks = 4, .inode = 3, .links = 1};
  static constexpr Entry kLinked{.size = 800, .blocks = 8, .inode = 4, .links = 2};
  static constexpr Entry kDeep{.size = 1600, .blocks = 16, .inode = 5};
  static constexpr Entry kDeepFile{.size = 3200, .blocks = 32, .inode = 6};

  static DirId add_sub(HandMadeTree& made, DirId sub) {
    made.file(sub, "file", kFile);
    made.file(sub, "linked", kLinked);
    const DirId deep = made.directory(sub, "deep", kDeep);
    made.file(deep, "file", kDeepFile);
    return deep;
  }
  static DirId add_top(HandMadeTree& made, const std::string& path) {
    const DirId top = made.root(path, kTop);
    made.file(top, "z-link", kLinked);
    return top;
  }
  static void expect_counted_once(const Tree& tree) {
    const Counts whole = Totals(tree).whole();
    EXPECT_EQ(whole.dirs, 3U);
    EXPECT_EQ(whole.files, 4U);
    EXPECT_EQ(whole.entries(), 7U);
    EXPECT_EQ(whole.apparent_bytes, 6300U);
    EXPECT_EQ(whole.disk_bytes, 63U * 512);
  }
};

TEST(Roots, ThatOverlapAreCountedOnce) {
  HandMadeTree made;
  const DirId top = Overlap::add_top(made, "/t");
  const DirId sub = made.directory(top, "sub", Overlap::kSub);
  Overlap::add_sub(made, sub);
  const DirId again = made.root("/t/sub", Overlap::kSub);
  const DirId deep_again = Overlap::add_sub(made, again);
  const Tree tree = made.finish();

  Overlap::expect_counted_once(tree);
  EXPECT_EQ(tree.flags(made.node_of(sub)), 0);
  EXPECT_EQ(tree.flags(made.node_of(again)), kRepeated);
  EXPECT_EQ(tree.flags(made.node_of(deep_again)), kRepeated);
  EXPECT_EQ(Totals(tree).below(again).entries(), 0U);
  EXPECT_EQ(Totals(tree).below(deep_again).entries(), 0U);
}

TEST(Roots, ThatOverlapBelongToTheFirstWhereTheirPathsAreEqual) {
  HandMadeTree made;
  const DirId again = made.root("/t/sub", Overlap::kSub);
  Overlap::add_sub(made, again);
  const DirId top = Overlap::add_top(made, "/t");
  const DirId sub = made.directory(top, "sub", Overlap::kSub);
  Overlap::add_sub(made, sub);
  const Tree tree = made.finish();

  Overlap::expect_counted_once(tree);
  EXPECT_EQ(tree.flags(made.node_of(again)), 0);
  EXPECT_EQ(tree.flags(made.node_of(sub)), kRepeated);
  EXPECT_EQ(Totals(tree).below(sub).entries(), 0U);
  EXPECT_EQ(Totals(tree).below(again).entries(), 5U);
}

TEST(Roots, ThatAreOneDirectoryAreCountedOnceHoweverTheyAreSpelled) {
  const std::vector<std::vector<std::string>> spellings = {
      {"/t", "/t"},      {"/t", "/t/"}, {"/t/", "/t"}, {"t", "./t"},
      {"t", "t", "t/."}, {"./t", "t"},  {"t/", "t/"},  {"t/.", "t/", "t", "../x/t"}};
  for (const auto& roots : spellings) {
    HandMadeTree made;
    std::vector<DirId> tops;
    for (const std::string& root : roots) {
      tops.push_back(Overlap::add_top(made, root));
      Overlap::add_sub(made, made.directory(tops.back(), "sub", Overlap::kSub));
    }
    const Tree tree = made.finish();
    SCOPED_TRACE(::testing::PrintToString(roots));
    Overlap::expect_counted_once(tree);
    const auto counted = std::count_if(
        tops.begin(), tops.end(), [&](DirId top) { return tree.flags(made.node_of(top)) == 0; });
    EXPECT_EQ(counted, 1);
  }
}

// "a/" is the smaller path, "a/x" that of the directory in the other copy: they must not be split.
TEST(Roots, ThatAreOneDirectoryAreNotSplitBetweenThem) {
  for (const bool slash_first : {false, true}) {
    SCOPED_TRACE(slash_first ? "a/ a" : "a a/");
    HandMadeTree made;
    const DirId first = made.root(slash_first ? "a/" : "a", {.inode = 1});
    const DirId first_sub = made.directory(first, "x", {.size = 5, .inode = 2});
    const DirId second = made.root(slash_first ? "a" : "a/", {.inode = 1});
    const DirId second_sub = made.directory(second, "x", {.size = 5, .inode = 2});
    const Tree tree = made.finish();
    EXPECT_EQ(tree.flags(made.node_of(first)), 0);
    EXPECT_EQ(tree.flags(made.node_of(first_sub)), 0);
    EXPECT_EQ(tree.flags(made.node_of(second)), kRepeated);
    EXPECT_EQ(tree.flags(made.node_of(second_sub)), kRepeated);
    EXPECT_EQ(Totals(tree).below(first).apparent_bytes, 5U);
  }
}

// The result of `mount --bind r r/mnt/root`: r/usr comes after r/mnt/root/usr in the order of
// paths.
TEST(Copies, InsideTheirOriginalOwnNothingOfIt) {
  HandMadeTree made;
  const DirId top = made.root("r", {.inode = 1});
  const DirId usr = made.directory(top, "usr", {.size = 5, .inode = 2});
  const DirId mnt = made.directory(top, "mnt", {.inode = 3});
  const DirId copy = made.directory(mnt, "root", {.inode = 1});
  const DirId copied_usr = made.directory(copy, "usr", {.size = 5, .inode = 2});
  const DirId copied_mnt = made.directory(copy, "mnt", {.inode = 3});
  const Tree tree = made.finish();
  for (const DirId original : {top, usr, mnt}) EXPECT_EQ(tree.flags(made.node_of(original)), 0);
  for (const DirId repeated : {copy, copied_usr, copied_mnt}) {
    EXPECT_EQ(tree.flags(made.node_of(repeated)), kRepeated);
  }
  EXPECT_EQ(Totals(tree).below(top).dirs, 3U);
  EXPECT_EQ(Totals(tree).below(mnt).apparent_bytes, 0U);
}

TEST(Roots, ThatAreLinkedFilesOfADirectoryRootAreCountedOnceHoweverTheyAreSpelled) {
  for (const std::string spelling : {"w/f", "./w/f", "w//f"}) {
    SCOPED_TRACE(spelling);
    const Entry entry{.size = 10, .inode = 7, .links = 2};
    HandMadeTree made;
    const DirId top = made.root("w");
    made.file(top, "f", entry);
    made.file(top, "g", entry);
    made.file_root(spelling, entry);
    const Tree tree = made.finish();
    EXPECT_EQ(Totals(tree).whole().files, 2U);
    EXPECT_EQ(Totals(tree).whole().apparent_bytes, 10U);
  }
}

TEST(Roots, ThatAreFilesOfADirectoryRootAreCountedOnceInEitherOrder) {
  for (const bool file_first : {false, true}) {
    SCOPED_TRACE(file_first ? "file first" : "directory first");
    const Entry entry{.size = 10, .blocks = 8, .inode = 7};
    HandMadeTree made;
    if (file_first) made.file_root("/t/f", entry);
    const DirId top = made.root("/t", {.size = 100});
    made.file(top, "f", entry);
    made.file(top, "g", {.size = 1000});
    if (!file_first) made.file_root("/t/f", entry);
    const Tree tree = made.finish();
    const Counts whole = Totals(tree).whole();
    EXPECT_EQ(whole.apparent_bytes, 1110U);
    EXPECT_EQ(whole.disk_bytes, 4096U);
    EXPECT_EQ(whole.files, 2U);
  }
}

TEST(Roots, ThatAreFilesOfADirectoryRootAreCountedOnceHoweverTheyAreSpelled) {
  for (const std::string spelling : {"./t/f", "t/f", "zzz/../t/f"}) {
    SCOPED_TRACE(spelling);
    const Entry entry{.size = 10, .blocks = 8, .inode = 7};
    HandMadeTree made;
    made.file_root(spelling, entry);
    const DirId top = made.root("t", {.size = 100});
    made.file(top, "f", entry);
    const Tree tree = made.finish();
    EXPECT_EQ(Totals(tree).whole().apparent_bytes, 110U);
    EXPECT_EQ(Totals(tree).whole().files, 1U);
  }
}

TEST(Roots, ThatAreTheSameFileAreCountedOnce) {
  const Entry entry{.size = 10, .blocks = 8, .inode = 7};
  HandMadeTree made;
  made.file_root("f", entry);
  made.file_root("f", entry);
  made.file_root("./f", entry);
  const Tree tree = made.finish();
  EXPECT_EQ(Totals(tree).whole().apparent_bytes, 10U);
  EXPECT_EQ(Totals(tree).whole().files, 1U);
}

TEST(Roots, ThatAreFilesAreDistinguishedByTheirDevice) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 100});
  made.file(top, "f", {.size = 10, .inode = 7, .device = 2});
  made.file_root("g", {.size = 20, .inode = 7, .device = 3});
  const Tree tree = made.finish();
  EXPECT_EQ(Totals(tree).whole().apparent_bytes, 130U);
  EXPECT_EQ(Totals(tree).whole().files, 2U);
}

TEST(Roots, ThatAreHardLinksOfOneFileCountItsBytesOnce) {
  const Entry entry{.size = 10, .blocks = 8, .inode = 7, .links = 2};
  for (const bool file_first : {false, true}) {
    HandMadeTree made;
    if (file_first) made.file_root("u/g", entry);
    const DirId top = made.root("t", {.size = 100});
    made.file(top, "f", entry);
    if (!file_first) made.file_root("u/g", entry);
    const Tree tree = made.finish();
    EXPECT_EQ(Totals(tree).whole().apparent_bytes, 110U);
    EXPECT_EQ(Totals(tree).whole().disk_bytes, 4096U);
  }
}

TEST(Roots, ThatCouldNotBeReadHaveNoNode) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 100});
  made.file(top, "f", {.size = 10});
  made.file_root("g", {.size = 1000});
  made.missing_root();
  const Tree tree = made.finish();
  EXPECT_EQ(Totals(tree).whole().apparent_bytes, 1110U);
}

TEST(BindMounts, ThatRepeatADirectoryAreCountedOnce) {
  // t/mount shows t/here again: the same device and inode at a larger path.
  HandMadeTree made;
  const DirId top = Overlap::add_top(made, "t");
  const DirId mount = made.directory(top, "mount", Overlap::kSub);
  Overlap::add_sub(made, mount);
  const DirId here = made.directory(top, "here", Overlap::kSub);
  const DirId deep = Overlap::add_sub(made, here);
  const Tree tree = made.finish();
  Overlap::expect_counted_once(tree);
  EXPECT_EQ(tree.flags(made.node_of(mount)), kRepeated);
  EXPECT_EQ(tree.flags(made.node_of(here)), 0);
  EXPECT_EQ(tree.flags(made.node_of(deep)), 0);
}

TEST(BindMounts, ThatRepeatPartOfTheTreeLeaveTheRestCounted) {
  // t/a shows t/z/inner: the smaller path owns it, and z keeps the rest of its contents.
  HandMadeTree made;
  const Entry inner{.size = 1000, .inode = 50};
  const Entry in_inner{.size = 20, .inode = 51};
  const DirId top = made.root("t", {.size = 1});
  const DirId z = made.directory(top, "z", {.size = 100});
  const DirId z_inner = made.directory(z, "inner", inner);
  made.file(z_inner, "f", in_inner);
  made.file(z, "own", {.size = 10'000});
  const DirId a = made.directory(top, "a", inner);
  made.file(a, "f", in_inner);
  const Tree tree = made.finish();
  const Totals totals(tree);
  EXPECT_EQ(totals.whole().apparent_bytes, 11'121U);
  EXPECT_EQ(totals.whole().files, 2U);
  EXPECT_EQ(totals.below(a).apparent_bytes, 1020U);
  EXPECT_EQ(totals.below(z).apparent_bytes, 10'100U);
  EXPECT_EQ(totals.below(z_inner).entries(), 0U);
}

}  // namespace
}  // namespace fathom::fs
