// Tests of paths that the user names.

#include "run/path.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>

#include "fathom/testing/temp_tree.h"

namespace fathom::cli {
namespace {

using testing::TempTree;

// A tree that is the current directory.
class PathTest : public ::testing::Test {
 protected:
  PathTest() { std::filesystem::current_path(tree.path()); }
  ~PathTest() override { std::filesystem::current_path(before_); }

  // The path in the tree, without symbolic links above it.
  [[nodiscard]] std::string at(const std::string& rel) const { return real_ + '/' + rel; }

  TempTree tree;

 private:
  std::string real_ = std::filesystem::canonical(tree.path());
  std::filesystem::path before_ = std::filesystem::current_path();
};

using AbsolutePath = PathTest;
using PathOfFile = PathTest;
using SamePath = PathTest;

TEST_F(AbsolutePath, BeginsWithTheCurrentDirectory) {
  EXPECT_EQ(absolute_path("./"), absolute_path("."));
  EXPECT_EQ(absolute_path("./a/"), at("a"));
  EXPECT_EQ(absolute_path("../a"), at("../a"));
  EXPECT_EQ(absolute_path("/srv//"), "/srv");
  EXPECT_EQ(absolute_path("/"), "/");
}

TEST_F(AbsolutePath, KeepsALinkAndTheSlashAfterIt) {
  tree.symlink("/", "link");
  EXPECT_EQ(absolute_path("link"), at("link"));
  EXPECT_EQ(absolute_path("link/"), at("link/"));
}

TEST_F(AbsolutePath, IsTheGivenPathInARemovedDirectory) {
  std::filesystem::create_directory("gone");
  std::filesystem::current_path("gone");
  std::filesystem::remove(tree.path("gone"));
  EXPECT_EQ(absolute_path("./a/"), "./a/");
  EXPECT_EQ(absolute_path("/srv/"), "/srv");
}

TEST_F(PathOfFile, IsWhereTheFileIsOrWouldBeCreated) {
  tree.file("folder/there", 1);
  tree.symlink("folder", "link");
  EXPECT_EQ(path_of_file("link/there"), at("folder/there"));
  EXPECT_EQ(path_of_file("link/new"), at("folder/new"));
  EXPECT_EQ(path_of_file("new"), at("new"));
  EXPECT_EQ(path_of_file("./new/"), at("new"));
  EXPECT_EQ(path_of_file("/new"), "/new");
}

TEST_F(PathOfFile, FollowsLinksToNewFiles) {
  tree.file("folder/there", 1);
  tree.symlink("second", "first");
  tree.symlink("folder/new", "second");
  EXPECT_EQ(path_of_file("first"), at("folder/new"));
}

TEST_F(PathOfFile, NeedsAFolder) {
  errno = 0;
  EXPECT_EQ(path_of_file("missing/new"), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(SamePath, IsFoundThroughLinks) {
  tree.file("folder/there", 1);
  tree.symlink("folder", "link");
  tree.symlink("folder/new", "dangling");
  EXPECT_TRUE(is_same_path("folder/there", tree.path("link/there")));
  EXPECT_TRUE(is_same_path("folder/new", "./link/../folder/new"));
  EXPECT_TRUE(is_same_path("dangling", "folder/new"));
  EXPECT_TRUE(is_same_path("missing/new", "missing/new"));
  EXPECT_FALSE(is_same_path("folder/new", "folder/there"));
  EXPECT_FALSE(is_same_path("missing/a", "missing/b"));
}

}  // namespace
}  // namespace fathom::cli
