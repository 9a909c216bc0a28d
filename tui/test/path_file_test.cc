// Tests of lists of paths for other programs.

#include "os/path_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/testing/temp_tree.h"

namespace fathom::tui {
namespace {

TEST(PathFile, AListThatCannotBeCompletedIsRemoved) {
  testing::TempTree tree;
  const std::vector<std::string> paths = {"/srv/keep", "/srv/keep/old"};
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {15, before.rlim_max};  // ends with "/srv/"
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string error = write_paths(tree.path("list"), paths);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_NE(error.find("cannot write the file"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(tree.path("list")));
  EXPECT_EQ(write_paths(tree.path("list"), paths), "");
}

}  // namespace
}  // namespace fathom::tui
