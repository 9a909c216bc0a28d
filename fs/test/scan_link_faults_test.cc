// Symbolic links with an arbitrary kernel: targets of any length that change while they are read.

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "every_way.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_kernel.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

// The target of a symbolic link named "link", according to a scan.
std::string target_of_link(Hooks hooks, LinkEnd end) {
  TempTree tree;
  tree.symlink("nowhere", "link");
  const Faults faults(std::move(hooks));
  ScanOptions options = options_for({}, {tree.path()});
  options.read_links = true;
  const Scan found = scan(options);
  EXPECT_TRUE(found.complete()) << describe(found.errors);
  const auto target = found.tree.link_target(find_node(found.tree, tree.path("link")));
  if (!target) return "not read";
  EXPECT_EQ(target->end, end);
  return std::string(target->path);
}

TEST(SymbolicLinks, MayBeLongerThanAnyPath) {
  const std::string text(1'000'000, 'x');
  const auto read = [&](std::string_view) { return text; };
  EXPECT_EQ(target_of_link({.target = read}, LinkEnd::missing), text);
}

TEST(SymbolicLinks, MayGrowWhileTheyAreRead) {
  int calls = 0;
  const auto grow = [&](std::string_view) {
    ++calls;
    return std::string(calls < 6 ? 300U << calls : 20'000U, 'x');
  };
  EXPECT_EQ(target_of_link({.target = grow}, LinkEnd::missing), std::string(20'000, 'x'));
  EXPECT_GT(calls, 5);
}

TEST(SymbolicLinks, MayFillTheRoomToTheLastByte) {
  for (const std::size_t length : {255U, 256U, 511U, 512U, 513U, 4096U}) {
    const auto read = [&](std::string_view) { return std::string(length, 'x'); };
    EXPECT_EQ(target_of_link({.target = read}, LinkEnd::missing), std::string(length, 'x'));
  }
}

TEST(SymbolicLinks, AreReadThroughInterruptions) {
  EXPECT_EQ(target_of_link({.interruptions = 3}, LinkEnd::missing), "nowhere");
}

// The first call on a link is lstat; the second one follows it.
TEST(SymbolicLinks, ThatFailInOtherWaysAreNotReportedAsDangling) {
  for (const int error : {EACCES, EIO, ESTALE, ENAMETOOLONG}) {
    int asked = 0;
    const auto fail = [&](std::string_view name) {
      return name == "link" && ++asked == 2 ? error : 0;
    };
    EXPECT_EQ(target_of_link({.stat = fail}, LinkEnd::unknown), "nowhere");
  }
  for (const int error : {ENOENT, ENOTDIR, ELOOP}) {
    int asked = 0;
    const auto fail = [&](std::string_view name) {
      return name == "link" && ++asked == 2 ? error : 0;
    };
    EXPECT_EQ(target_of_link({.stat = fail}, LinkEnd::missing), "nowhere");
  }
}

}  // namespace
}  // namespace fathom::fs
