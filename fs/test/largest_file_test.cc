// LargestFiles: the largest file of a directory is the largest of those below it.

#include "fathom/fs/largest_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

std::string largest(const Tree& tree, std::string_view path) {
  const NodeId node = LargestFiles(tree).below(directory_at(tree, find_node(tree, path)));
  return node == kNoNode ? "nothing" : tree.path(node);
}

TEST(LargestFiles, AreTheLargestOnDiskBelow) {
  HandMadeTree made;
  const DirId top = made.root("t", {.blocks = 100});
  made.file(top, "sparse", {.size = 1U << 30U, .blocks = 2});
  const DirId deep = made.directory(made.directory(top, "a"), "b");
  made.file(deep, "small", {.blocks = 3});
  made.file(deep, "large", {.blocks = 8});
  made.file(made.directory(top, "c"), "f", {.blocks = 5});
  made.directory(top, "empty");
  const Tree tree = made.finish();
  EXPECT_EQ(largest(tree, "t"), "t/a/b/large");
  EXPECT_EQ(largest(tree, "t/a"), "t/a/b/large");
  EXPECT_EQ(largest(tree, "t/c"), "t/c/f");
  EXPECT_EQ(largest(tree, "t/empty"), "nothing");
}

TEST(LargestFiles, AreTheFirstOfEqualOnes) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "second", {.blocks = 4});
  made.file(made.directory(top, "a"), "first", {.blocks = 4});
  const Tree tree = made.finish();
  EXPECT_EQ(largest(tree, "t"), "t/a/first");
}

TEST(LargestFiles, AreFilesWhoseBytesCountThere) {
  HandMadeTree made;
  const DirId top = made.root("t", {.inode = 1});
  const Entry linked{.blocks = 9, .inode = 77, .links = 2};
  made.file(made.directory(top, "a"), "name", linked);
  const DirId other = made.directory(top, "b");
  made.file(other, "another name", linked);
  made.file(other, "own", {.blocks = 1});
  made.symlink(other, "link", {.path = "a"}, {.blocks = 8});
  const Tree tree = made.finish();
  EXPECT_EQ(largest(tree, "t/a"), "t/a/name");
  EXPECT_EQ(largest(tree, "t/b"), "t/b/own");
}

}  // namespace
}  // namespace fathom::fs
