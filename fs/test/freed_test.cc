// Freed: the bytes that deleting a set of entries would free.

#include "fathom/fs/freed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

struct LinkedTree {
  Tree tree;
  std::vector<Chosen> entries;
};

// A few directories whose files share inodes at random; some inodes have unseen names.
LinkedTree random_linked_tree(std::uint32_t seed) {
  std::minstd_rand random(seed + 1);
  HandMadeTree made;
  LinkedTree linked;
  std::vector<DirId> directories = {made.root("t", {.size = 1}), made.root("u", {.size = 1})};
  for (int i = 0; i < 9; ++i) {
    const DirId in = directories[random() % directories.size()];
    directories.push_back(made.directory(in, "d" + std::to_string(i), {.size = 1}));
  }
  for (std::uint64_t inode = 1; inode <= 30; ++inode) {
    const std::uint32_t names = 1 + static_cast<std::uint32_t>(random() % 3);
    const std::uint32_t outside = random() % 4 == 0 ? 1U : 0U;
    for (std::uint32_t name = 0; name < names; ++name) {
      const NodeId node = made.file(directories[random() % directories.size()],
                                    "f" + std::to_string(inode) + "." + std::to_string(name),
                                    {.size = inode, .inode = inode, .links = names + outside});
      linked.entries.push_back({node, kNoDir});
    }
  }
  for (const DirId id : directories) linked.entries.push_back({made.node_of(id), id});
  linked.tree = made.finish();
  return linked;
}

bool is_inside(const Tree& tree, NodeId node, const std::vector<Chosen>& set) {
  const auto is_chosen = [&](NodeId one) {
    return std::any_of(set.begin(), set.end(), [&](const Chosen& it) { return it.node == one; });
  };
  if (is_chosen(node)) return true;
  for (DirId at = tree.parent(node); at != kNoDir; at = tree.parent_of(at)) {
    if (is_chosen(tree.node(at))) return true;
  }
  return false;
}

// Computed by examining every entry.
Freed::Sums examined(const Tree& tree, const std::vector<Chosen>& set) {
  Freed::Sums sums;
  std::map<std::uint64_t, std::uint32_t> names;
  tree.for_each_node([&](NodeId node) {
    if (!is_inside(tree, node, set)) return;
    const Sizes sizes{0, tree.size(node)};
    ++sums.entries;
    if ((tree.flags(node) & kExtraLink) == 0) sums.counted.add(sizes);
    const bool last =
        tree.kind(node) == Kind::directory || ++names[tree.inode(node)] == tree.links(node);
    if (last) sums.exclusive.add(sizes);
  });
  return sums;
}

TEST(Freed, AnySetIsWhatExaminingEveryEntryFinds) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const LinkedTree linked = random_linked_tree(seed);
    const Tree& tree = linked.tree;
    const Totals totals(tree);
    const Exclusive exclusive(tree);
    const Freed freed(tree, totals, exclusive);
    std::minstd_rand random(seed + 1);
    for (int round = 0; round < 20; ++round) {
      std::vector<Chosen> set;
      const std::uint32_t one_of = 1 + static_cast<std::uint32_t>(random() % 9);
      for (const Chosen& entry : linked.entries) {
        if (random() % one_of == 0) set.push_back(entry);
      }
      std::shuffle(set.begin(), set.end(), random);
      EXPECT_EQ(freed.by(set), examined(tree, set)) << seed << ' ' << round;
    }
  }
}

TEST(Freed, NothingIsFreedByNothing) {
  HandMadeTree made;
  made.root("t", {.size = 1});
  const Tree tree = made.finish();
  const Totals totals(tree);
  const Exclusive exclusive(tree);
  EXPECT_EQ(Freed(tree, totals, exclusive).by({}), Freed::Sums{});
}

}  // namespace
}  // namespace fathom::fs
