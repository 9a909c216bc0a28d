// Tests of count(), compared with the installed du.

#include "fathom/testing/oracle.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::testing {
namespace {

OracleTotals count_by_installed_rule(const std::vector<std::string>& roots) {
  return count(roots, {.apparent = installed_du_rule()});
}

void expect_agreement_with_du(const std::vector<std::string>& roots) {
  const OracleTotals totals = count_by_installed_rule(roots);
  EXPECT_EQ(totals.disk_bytes, du(roots, false));
  EXPECT_EQ(totals.apparent_bytes, du(roots, true));
}

TEST(Count, DistinguishesKinds) {
  TempTree tree;
  tree.file("a/file", 10);
  tree.symlink("file", "a/link");
  tree.fifo("b/fifo");
  tree.socket("b/socket");
  const OracleTotals totals = count({tree.path()});
  EXPECT_EQ(totals.files, 1U);
  EXPECT_EQ(totals.dirs, 3U);
  EXPECT_EQ(totals.symlinks, 1U);
  EXPECT_EQ(totals.others, 2U);
  EXPECT_EQ(totals.entries, 7U);
  EXPECT_EQ(totals.unreadable, 0U);
}

TEST(Count, AgreesWithDuOnGeneratedTrees) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    TempTree tree;
    generate(tree, {.seed = seed, .hard_links = 30, .symlinks = 20});
    SCOPED_TRACE(seed);
    expect_agreement_with_du({tree.path()});
  }
}

TEST(Count, AgreesWithDuOnEveryKindOfFile) {
  TempTree tree;
  tree.file("file", 12'345);
  tree.sparse("sparse", 1ULL << 40);
  tree.symlink(std::string(100, 't'), "link");  // stored outside the inode on some filesystems
  tree.symlink(std::string(1'000, 't'), "longer link");
  tree.fifo("fifo");
  tree.socket("socket");
  for (int i = 0; i < 500; ++i)
    tree.file("large directory/" + std::string(200, 'n') + std::to_string(i));
  expect_agreement_with_du({tree.path()});
}

TEST(Count, CountsAnInodeOnce) {
  TempTree tree;
  tree.file("a/f", 100'000);
  const std::uint64_t alone = count({tree.path("a")}).disk_bytes;
  tree.hardlink("a/f", "a/again");
  const OracleTotals totals = count({tree.path("a")});
  EXPECT_EQ(totals.disk_bytes, alone);
  EXPECT_EQ(totals.files, 1U);
  EXPECT_EQ(totals.entries, 3U);
  expect_agreement_with_du({tree.path()});
}

TEST(Count, CountsAnInodeOnceOverAllRoots) {
  TempTree tree;
  tree.file("a/f", 100'000);
  tree.hardlink("a/f", "b/again");
  tree.file("b/c/g", 5'000);
  expect_agreement_with_du({tree.path("a"), tree.path("b")});
  expect_agreement_with_du({tree.path("b/c"), tree.path("b"), tree.path("a"), tree.path("b")});
  EXPECT_EQ(count({tree.path("b"), tree.path("b")}).dirs, 2U);
}

TEST(Count, AcceptsFilesAndLinksAsRootsWithoutFollowingThem) {
  TempTree tree;
  tree.file("d/f", 9'000);
  tree.symlink("d", "link");
  expect_agreement_with_du({tree.path("d/f")});
  expect_agreement_with_du({tree.path("link")});
  EXPECT_EQ(count({tree.path("link")}).symlinks, 1U);
  EXPECT_EQ(count({tree.path("link")}).entries, 1U);
}

TEST(Count, FollowsEitherRuleOfApparentSize) {
  TempTree tree;
  tree.file("f", 1'000);
  tree.symlink("1234567", "link");
  const auto by_rule = [&](ApparentRule rule) {
    return count({tree.path()}, {.apparent = rule}).apparent_bytes;
  };
  EXPECT_EQ(by_rule(ApparentRule::files_and_symlinks), 1'007U);
  EXPECT_GT(by_rule(ApparentRule::every_kind), 1'007U);
}

TEST(Count, ThrowsWhenARootIsMissing) {
  const TempTree tree;
  EXPECT_THROW(count({tree.path("missing")}), base::SystemError);
}

TEST(Count, AgreesWithDuIfDirectoriesCannotBeRead) {
  TempTree tree;
  if (!nobody_can_enter(tree.path())) GTEST_SKIP() << "others cannot enter " << tree.path();
  for (const char* directory : {"none", "list", "search"}) {
    tree.file(std::string(directory) + "/sub/f", 5'000);
  }
  tree.chmod("none", 0);
  tree.chmod("list", 0444);
  tree.chmod("search", 0111);
  const int status = as_nobody([&] {
    const OracleTotals totals = count({tree.path()});
    if (totals.unreadable != 3)
      throw base::Error("not three: " + std::to_string(totals.unreadable));
    if (totals.disk_bytes != du(tree.path(), false)) throw base::Error("du differs");
  });
  EXPECT_EQ(status, 0);
}

TEST(Count, StaysOnOneFileSystemLikeDu) {
  if (!can_use_namespaces()) GTEST_SKIP() << "namespaces are not available";
  TempTree tree;
  tree.dir("mount");
  tree.file("file", 4'000);
  const int status = in_mount_namespace([&] {
    if (::mount("tmpfs", tree.path("mount").c_str(), "tmpfs", 0, nullptr) != 0) {
      throw base::Error("cannot mount");
    }
    tree.file("mount/inside", 50'000);
    const OracleTotals here = count({tree.path()}, {.one_file_system = true});
    if (here.entries != 2) throw base::Error("the mount point was counted");
    if (here.disk_bytes != du({tree.path()}, false, true)) throw base::Error("du -x differs");
    if (count({tree.path()}).disk_bytes != du(tree.path(), false)) throw base::Error("du differs");
  });
  EXPECT_EQ(status, 0);
}

TEST(Du, SumsOverAllRoots) {
  TempTree tree;
  tree.file("a/f", 5'000);
  tree.file("b/g", 50'000);
  const std::uint64_t both = du({tree.path("a"), tree.path("b")}, true);
  EXPECT_EQ(both, du(tree.path("a"), true) + du(tree.path("b"), true));
}

TEST(Du, SkipsMissingRoots) {
  const TempTree tree;
  EXPECT_EQ(du(tree.path("missing"), false), 0U);
}

}  // namespace
}  // namespace fathom::testing
