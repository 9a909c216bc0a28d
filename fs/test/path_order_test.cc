// PathOrder: the order of paths, without paths.

#include "report/path_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

// The paths of all nodes as PathOrder sorts them, starting from an unrelated order.
Lines sorted(const Tree& tree) {
  std::vector<PathOrder::Item> items;
  tree.for_each_node([&](NodeId node) { items.push_back({node, ~node}); });
  std::mt19937 random(1);
  std::shuffle(items.begin(), items.end(), random);
  const PathOrder order(tree);
  if (!items.empty()) {
    const PathOrder::Item first = order.first(items);
    order.sort(items);
    EXPECT_EQ(first.node, items.front().node);
  }
  Lines paths;
  for (const auto& [node, id] : items) {
    EXPECT_EQ(id, ~node);
    paths.push_back(tree.path(node));
  }
  return paths;
}

TEST(PathOrder, PutsTheContentsOfADirectoryWhereItsSlashBelongs) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId a = made.directory(top, "a");
  made.file(top, "a.txt");
  made.file(top, "a0");
  made.file(made.directory(top, "a-b"), "f");
  made.file(a, "z");
  made.file(made.directory(a, "m"), "f");
  made.file(a, "m ");
  EXPECT_EQ(sorted(made.finish()), (Lines{"t", "t/a", "t/a-b", "t/a-b/f", "t/a.txt", "t/a/m",
                                          "t/a/m ", "t/a/m/f", "t/a/z", "t/a0"}));
}

TEST(PathOrder, OfRootsIsThatOfTheirPaths) {
  HandMadeTree made;
  made.file(made.root("b/"), "f");
  made.file(made.root("a"), "f");
  made.file(made.root("/"), "f");
  made.file_root("a.x");
  made.file_root("b.x");
  made.file_root("a/g");
  EXPECT_EQ(sorted(made.finish()),
            (Lines{"/", "/f", "a", "a.x", "a/f", "a/g", "b.x", "b/", "b/f"}));
}

TEST(PathOrder, OfNothingIsNothing) {
  EXPECT_EQ(sorted(HandMadeTree().finish()), Lines{});
}

// A few bytes close to the slash make names that are prefixes of others; some names are long enough
// to differ only after the bytes that are compared as a number.
std::string random_path_name(std::mt19937& random) {
  static constexpr char kLetters[] = {'-', '.', '0', 'a', '\x01', '\xff'};
  std::string name = random() % 4 == 0 ? "longer than eight" : "";
  do {
    name += kLetters[random() % sizeof kLetters];
  } while (random() % 3 != 0);
  return name;
}

TEST(PathOrder, IsThatOfSortedPaths) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    HandMadeTree made;
    std::vector<DirId> directories = {made.root("t")};
    std::vector<std::vector<std::string>> taken(1);
    for (int i = 0; i < 300; ++i) {
      const std::size_t in = random() % directories.size();
      const std::string name = random_path_name(random);
      if (std::count(taken[in].begin(), taken[in].end(), name) > 0) continue;
      taken[in].push_back(name);
      if (random() % 3 == 0) {
        directories.push_back(made.directory(directories[in], name));
        taken.emplace_back();
      } else {
        made.file(directories[in], name);
      }
      if (random() % 50 == 0) made.change_appender();
    }
    const Tree tree = made.finish();
    ASSERT_EQ(sorted(tree), all_paths(tree));
  }
}

TEST(PathOrder, NeedsNoStackForADeepTree) {
  HandMadeTree made;
  DirId at = made.root("t");
  for (int i = 0; i < 100'000; ++i) at = made.directory(at, "d");
  const Tree tree = made.finish();
  std::vector<PathOrder::Item> items;
  tree.for_each_directory([&](DirId id) { items.push_back({tree.node(id), id}); });
  std::reverse(items.begin(), items.end());
  PathOrder(tree).sort(items);
  for (std::uint32_t i = 0; i < items.size(); ++i) ASSERT_EQ(tree.depth(items[i].id), i);
}

}  // namespace
}  // namespace fathom::fs
