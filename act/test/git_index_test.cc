// The index of git: what git itself writes, in each version, and damaged ones.

#include "rules/git_index.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fathom/testing/temp_tree.h"

namespace fathom::act {
namespace {

using Paths = std::vector<std::string>;

bool run_in(const testing::TempTree& tree, const std::string& command) {
  return std::system(("cd '" + tree.path() + "' && " + command + " >/dev/null 2>&1").c_str()) == 0;
}

std::string index_of_tree(const testing::TempTree& tree) {
  std::ifstream file(tree.path(".git/index"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A work tree with three files, of which one has a long name; empty if git is not installed.
std::string written_by_git(testing::TempTree& tree, const std::string& format,
                           const std::string& version) {
  for (const std::string& path :
       {std::string("a/b"), std::string("a/c\n"), std::string(200, 'x')}) {
    tree.file(path, 1);
  }
  const bool done = run_in(tree, "git init -q --object-format=" + format + " . && git add . && " +
                                     "git update-index --index-version " + version);
  return done ? index_of_tree(tree) : std::string();
}

TEST(GitIndex, EveryVersionIsRead) {
  for (const std::string version : {"2", "3", "4"}) {
    testing::TempTree tree;
    const std::string index = written_by_git(tree, "sha1", version);
    if (index.empty()) GTEST_SKIP() << "git is not installed";
    const auto paths = parse_git_index(index, false);
    ASSERT_TRUE(paths) << version;
    EXPECT_EQ(*paths, (Paths{"a/b", "a/c\n", std::string(200, 'x')})) << version;
  }
}

TEST(GitIndex, LongerHashesAreRead) {
  testing::TempTree tree;
  const std::string index = written_by_git(tree, "sha256", "2");
  if (index.empty()) GTEST_SKIP() << "git is not installed, or too old";
  const auto paths = parse_git_index(index, true);
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->size(), 3U);
}

TEST(GitIndex, ASplitIndexIsNotComplete) {
  testing::TempTree tree;
  if (written_by_git(tree, "sha1", "2").empty()) GTEST_SKIP() << "git is not installed";
  ASSERT_TRUE(run_in(tree, "git update-index --split-index"));
  EXPECT_FALSE(parse_git_index(index_of_tree(tree), false));
}

TEST(GitIndex, ACutOffIndexIsRefused) {
  testing::TempTree tree;
  const std::string index = written_by_git(tree, "sha1", "4");
  if (index.empty()) GTEST_SKIP() << "git is not installed";
  const std::size_t entries_end = index.size() - 120;
  for (std::size_t size = 0; size < entries_end; ++size) {
    const auto paths = parse_git_index(std::string_view(index).substr(0, size), false);
    EXPECT_TRUE(!paths || paths->size() == 3U) << size;
  }
  EXPECT_FALSE(parse_git_index("DIRC", false));
  EXPECT_FALSE(parse_git_index("", false));
}

}  // namespace
}  // namespace fathom::act
