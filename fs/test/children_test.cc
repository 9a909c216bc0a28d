// Children: each directory has exactly its entries.

#include "fathom/fs/children.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fathom/fs/tree.h"
#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

std::multiset<std::uint32_t> set_of(std::span<const std::uint32_t> items) {
  return {items.begin(), items.end()};
}

TEST(Children, OfAnEmptyTreeAreNone) {
  const Tree tree = HandMadeTree().finish();
  const Children children(tree);  // missing entries do not disturb it
  EXPECT_EQ(tree.directory_limit(), 0U);
}

TEST(Children, OfAnEmptyDirectoryAreNone) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Tree tree = made.finish();
  const Children children(tree);
  EXPECT_TRUE(children.directories(top).empty());
  EXPECT_TRUE(children.others(top).empty());
}

TEST(Children, DoNotIncludeARootThatIsAFile) {
  HandMadeTree made;
  made.file_root("f");
  const DirId top = made.root("t");
  const Tree tree = made.finish();
  const Children children(tree);
  EXPECT_TRUE(children.directories(top).empty());
  EXPECT_TRUE(children.others(top).empty());
}

TEST(Children, AreTheEntriesWithThatParent) {
  HandMadeTree made;
  std::vector<DirId> ids{made.root("t"), made.root("u")};
  std::map<DirId, std::multiset<std::uint32_t>> directories;
  std::map<DirId, std::multiset<std::uint32_t>> others;
  // Over several chunks, which are not full where the appenders change.
  for (std::uint32_t i = 0; i < 2000; ++i) {
    if (i % 300 == 0) made.change_appender();
    const DirId parent = ids[i * 7919U % ids.size()];
    const DirId id = made.directory(parent, "d" + std::to_string(i));
    directories[parent].insert(id);
    for (std::uint32_t f = 0; f < i % 6; ++f) {
      const DirId in = ids[(i + f) * 104729U % ids.size()];
      others[in].insert(made.file(in, std::to_string(i) + "." + std::to_string(f)));
    }
    ids.push_back(id);
  }
  const Tree tree = made.finish();
  const Children children(tree);
  for (const DirId id : ids) {
    EXPECT_EQ(set_of(children.directories(id)), directories[id]) << id;
    EXPECT_EQ(set_of(children.others(id)), others[id]) << id;
  }
}

}  // namespace
}  // namespace fathom::fs
