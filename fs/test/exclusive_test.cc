// Exclusive: the bytes that deleting a directory would free.

#include "fathom/fs/exclusive.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fathom/fs/totals.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

TEST(Exclusive, WithoutLinksIsTheTotal) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1, .blocks = 1});
  const DirId in = made.directory(top, "in", {.size = 2, .blocks = 2, .links = 9});
  made.file(in, "f", {.size = 4, .blocks = 4});
  made.file(top, "link", {.size = 8, .blocks = 8, .mode = S_IFLNK | 0777});
  const Tree tree = made.finish();
  const Exclusive exclusive(tree);
  EXPECT_EQ(exclusive.below(top), (Sizes{15 * 512, 15}));
  EXPECT_EQ(exclusive.below(in), (Sizes{6 * 512, 6}));
  EXPECT_EQ(shared(Totals(tree).below(top), exclusive.below(top)), Sizes{});
}

TEST(Exclusive, LinksBelongToTheDeepestDirectoryThatHasAllOfThem) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId both = made.directory(top, "both");
  const DirId left = made.directory(both, "left");
  const DirId right = made.directory(made.directory(both, "right"), "deep");
  const Entry linked{.size = 10, .blocks = 1, .inode = 7, .links = 3};
  made.file(right, "a", linked);
  made.file(left, "b", linked);
  made.file(left, "c", linked);
  const Tree tree = made.finish();
  const Totals totals(tree);
  const Exclusive exclusive(tree);
  EXPECT_EQ(exclusive.below(left), Sizes{});
  EXPECT_EQ(exclusive.below(right), Sizes{});
  EXPECT_EQ(exclusive.below(both), (Sizes{512, 10}));
  EXPECT_EQ(exclusive.below(top), (Sizes{512, 10}));
  EXPECT_EQ(shared(totals.below(left), exclusive.below(left)), (Sizes{512, 10}));
  EXPECT_EQ(shared(totals.below(right), exclusive.below(right)), Sizes{});  // counted at left/b
}

TEST(Exclusive, LinksOfOneDirectoryAreItsOwn) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId in = made.directory(top, "in");
  const Entry linked{.size = 10, .inode = 7, .links = 2};
  made.file(in, "a", linked);
  made.file(in, "b", linked);
  EXPECT_EQ(Exclusive(made.finish()).below(in), (Sizes{0, 10}));
}

TEST(Exclusive, AnUnseenNameKeepsTheInode) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.size = 10, .inode = 7, .links = 3};
  made.file(top, "a", linked);
  made.file(top, "b", linked);
  const Tree tree = made.finish();
  EXPECT_EQ(Exclusive(tree).below(top), Sizes{});
  EXPECT_EQ(Totals(tree).below(top).apparent_bytes, 10U);
}

TEST(Exclusive, LinksBelowSeveralRootsBelongToNone) {
  HandMadeTree made;
  const Entry linked{.size = 10, .inode = 7, .links = 2};
  const DirId a = made.root("a");
  const DirId b = made.root("b");
  made.file(a, "f", linked);
  made.file(b, "f", linked);
  const Entry lone{.size = 20, .inode = 8, .links = 2};
  made.file(a, "g", lone);
  made.file_root("g", lone);
  const Tree tree = made.finish();
  const Exclusive exclusive(tree);
  EXPECT_EQ(exclusive.below(a), Sizes{});
  EXPECT_EQ(exclusive.below(b), Sizes{});
}

TEST(Exclusive, SameNumbersOnTwoDevicesAreTwoInodes) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.size = 1, .inode = 7, .device = 1, .links = 2});
  made.file(top, "b", {.size = 2, .inode = 7, .device = 2, .links = 2});
  EXPECT_EQ(Exclusive(made.finish()).below(top), Sizes{});
}

TEST(Exclusive, ARepeatedDirectoryHasNothing) {
  HandMadeTree made;
  const Entry top{.size = 1, .inode = 5};
  const Entry linked{.size = 10, .inode = 7, .links = 2};
  std::vector<DirId> roots;
  for (int i = 0; i < 2; ++i) {
    roots.push_back(made.root("t", top));
    made.file(roots.back(), "a", linked);
    made.file(roots.back(), "b", linked);
  }
  const Exclusive exclusive(made.finish());
  EXPECT_EQ(exclusive.below(roots[0]), (Sizes{0, 11}));
  EXPECT_EQ(exclusive.below(roots[1]), Sizes{});
}

TEST(Exclusive, CountsAChangedInodeOnceAndNotWhenInDoubt) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.size = 10, .inode = 7, .links = 2});
  made.file(top, "b", {.size = 10, .inode = 7, .links = 3});  // a link was made during the scan
  const DirId in = made.directory(top, "in");
  for (const char* name : {"a", "b", "c"}) {  // one was removed during the scan
    made.file(in, name, {.size = 20, .inode = 8, .links = 2});
  }
  const Exclusive exclusive(made.finish());
  EXPECT_EQ(exclusive.below(in), (Sizes{0, 20}));
  EXPECT_EQ(exclusive.below(top), (Sizes{0, 20}));
}

TEST(Exclusive, SaturatesAndNeverExceedsTheTotal) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId in = made.directory(top, "in");
  made.file(in, "a", {.size = kMost, .blocks = kMost});
  made.file(in, "b", {.size = kMost, .blocks = kMost});
  made.file(top, "c", {.size = kMost, .inode = 7, .links = 2});
  const Tree tree = made.finish();
  const Exclusive exclusive(tree);
  EXPECT_EQ(exclusive.below(top), (Sizes{kMost, kMost}));
  EXPECT_EQ(shared(Totals(tree).below(top), exclusive.below(top)), Sizes{});
}

TEST(Exclusive, NeedsNoStackForADeepTree) {
  HandMadeTree made;
  const DirId top = made.root("t");
  DirId at = top;
  for (int i = 0; i < 50'000; ++i) at = made.directory(at, "d", {.size = 1});
  made.file(at, "low", {.size = 10, .inode = 7, .links = 2});
  made.file(top, "high", {.size = 10, .inode = 7, .links = 2});
  const Exclusive exclusive(made.finish());
  EXPECT_EQ(exclusive.below(at).apparent_bytes, 1U);
  EXPECT_EQ(exclusive.below(top).apparent_bytes, 50'010U);
}

// A tree of a few directories whose files share inodes at random; some inodes have unseen names.
struct RandomTree {
  explicit RandomTree(std::uint32_t seed) {
    std::mt19937 random(seed);
    HandMadeTree made;
    directories = {made.root("t", {.size = 1}), made.root("u", {.size = 1})};
    for (int i = 0; i < 12; ++i) {
      const DirId in = directories[random() % directories.size()];
      directories.push_back(made.directory(in, "d" + std::to_string(i), {.size = 1}));
    }
    for (std::uint64_t inode = 1; inode <= 40; ++inode) {
      const std::uint32_t names = 1 + random() % 4;
      const std::uint32_t outside = random() % 4 == 0 ? 1 : 0;
      for (std::uint32_t name = 0; name < names; ++name) {
        made.file(directories[random() % directories.size()],
                  "f" + std::to_string(inode) + "." + std::to_string(name),
                  {.size = inode, .blocks = 3 * inode, .inode = inode, .links = names + outside});
      }
    }
    tree = made.finish();
  }

  [[nodiscard]] bool is_in(NodeId node, DirId directory) const {
    for (DirId at = tree.parent(node); at != kNoDir; at = tree.parent_of(at)) {
      if (at == directory) return true;
    }
    return false;
  }

  // Computed by examining every entry for every directory.
  [[nodiscard]] Sizes freed_with(DirId directory) const {
    Sizes sizes;
    std::map<std::uint64_t, std::uint32_t> names;
    const auto add = [&](NodeId node) {
      const Entry entry = tree.entry(node);
      sizes.add({entry.disk_bytes(), entry.apparent_bytes()});
    };
    add(tree.node(directory));
    tree.for_each_node([&](NodeId node) {
      if (!is_in(node, directory)) return;
      if (tree.kind(node) == Kind::directory) return add(node);
      if (++names[tree.inode(node)] == tree.links(node)) add(node);
    });
    return sizes;
  }

  Tree tree;
  std::vector<DirId> directories;
};

TEST(Exclusive, EqualsCountingEachDirectoryAlone) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTree random(seed);
    const Exclusive exclusive(random.tree);
    const Totals totals(random.tree);
    for (const DirId id : random.directories) {
      EXPECT_EQ(exclusive.below(id), random.freed_with(id));
      EXPECT_LE(exclusive.below(id).disk_bytes, totals.below(id).disk_bytes);
      EXPECT_LE(exclusive.below(id).apparent_bytes, totals.below(id).apparent_bytes);
    }
  }
}

}  // namespace
}  // namespace fathom::fs
