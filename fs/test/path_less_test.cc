// PathLess: equals the byte order of complete paths.

#include "tree/path_less.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

// Compares the paths themselves.
bool spelled_less(const Tree& tree, NodeId a, NodeId b) {
  return std::tuple(tree.path(a), tree.root_index(a)) <
         std::tuple(tree.path(b), tree.root_index(b));
}

void expect_as_spelled(const Tree& tree) {
  const PathLess less(tree);
  tree.for_each_node([&](NodeId a) {
    tree.for_each_node([&](NodeId b) {
      const bool expected = spelled_less(tree, a, b);
      ASSERT_EQ(less(a, b), expected) << tree.path(a) << " " << tree.path(b);
      ASSERT_EQ(tree.path_less(a, b), expected) << tree.path(a) << " " << tree.path(b);
    });
  });
}

// A name of bytes close to the slash, so that many names are prefixes of others.
std::string random_name(std::mt19937& random) {
  std::string name;
  for (std::size_t left = 1 + random() % 3; left > 0; --left) name += "a-.0\xff"[random() % 5];
  return name;
}

TEST(PathLess, IsTheOrderOfThePathsBytes) {
  const std::vector<std::vector<std::string>> roots = {
      {"t"},          {"/", "/a", "/a/a"}, {"a", "a/", "a"}, {"a", "a.", "a/a"},
      {"a/", "a//a"}, {"", "a", "a-"},     {".", "./a"},     {"a", "a/a", "a/a/a", "a-"}};
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    HandMadeTree made;
    std::vector<DirId> directories;
    for (const std::string& root : roots[seed % roots.size()]) {
      directories.push_back(made.root(root));
    }
    std::set<std::pair<DirId, std::string>> taken;
    for (int i = 0; i < 60; ++i) {
      const DirId in = directories[random() % directories.size()];
      const std::string name = random_name(random);
      if (!taken.emplace(in, name).second) continue;
      if (i < 25) {
        directories.push_back(made.directory(in, name));
      } else {
        made.file(in, name);
      }
    }
    made.file_root("a/a-");
    const Tree tree = made.finish();
    expect_as_spelled(tree);
  }
}

}  // namespace
}  // namespace fathom::fs
