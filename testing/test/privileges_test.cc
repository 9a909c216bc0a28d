// Tests of running code as another user and in a mount namespace.

#include "fathom/testing/privileges.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "fathom/base/error.h"
#include "fathom/testing/oracle.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::testing {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw base::Error(what);
}

TEST(AsNobody, IsNotRoot) {
  EXPECT_EQ(as_nobody([] { require(!is_root(), "still root"); }), 0);
}

TEST(AsNobody, CannotReadForbiddenDirectories) {
  TempTree tree;
  if (!nobody_can_enter(tree.path())) GTEST_SKIP() << "others cannot enter " << tree.path();
  tree.file("secret/f");
  tree.chmod("secret", 0);
  const auto body = [&] { require(count({tree.path()}).unreadable == 1, "nothing forbidden"); };
  EXPECT_EQ(as_nobody(body), 0);
}

TEST(AsNobody, CanEnterOpenButNotForbiddenDirectories) {
  TempTree tree;
  if (!nobody_can_enter(tree.path())) GTEST_SKIP() << "others cannot enter " << tree.path();
  tree.dir("open");
  tree.chmod("open", 0755);
  tree.dir("secret");
  tree.chmod("secret", 0);
  EXPECT_TRUE(nobody_can_enter(tree.path("open")));
  EXPECT_FALSE(nobody_can_enter(tree.path("secret")));
}

TEST(AsNobody, ReportsHowTheChildEnded) {
  EXPECT_EQ(as_nobody([] {}), 0);
  EXPECT_EQ(as_nobody([] { throw base::Error("expected here"); }), 1);
  EXPECT_EQ(as_nobody([] { throw 7; }), 1);
  EXPECT_EQ(as_nobody([] { ::_exit(9); }), 9);
  EXPECT_EQ(as_nobody([] { ::raise(SIGKILL); }), 128 + SIGKILL);
}

TEST(InMountNamespace, HidesItsMountsFromOthers) {
  if (!can_use_namespaces()) GTEST_SKIP() << "namespaces are not available";
  TempTree tree;
  tree.dir("mount");
  const int status = in_mount_namespace([&] {
    require(::mount("tmpfs", tree.path("mount").c_str(), "tmpfs", 0, nullptr) == 0, "no mount");
    tree.file("mount/inside");
    require(count({tree.path()}).files == 1, "the file is not there");
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count({tree.path()}).files, 0U);
}

}  // namespace
}  // namespace fathom::testing
