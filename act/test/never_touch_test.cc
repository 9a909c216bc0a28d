// NeverTouch: what no act may touch, each with a neighbour that it may.

#include "fathom/act/never_touch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "fathom/testing/temp_tree.h"

namespace fathom::act {
namespace {

// A tree that plays the home directory of a user.
class NeverTouchTest : public ::testing::Test {
 protected:
  NeverTouchTest() {
    around_.variables["HOME"] = tree_.path("home");
    around_.variables["XDG_DATA_HOME"] = tree_.path("home/.local/share");
    around_.places = {{tree_.path("home"), "your home directory"},
                      {tree_.path("home/.cache"), "your cache directory"}};
  }

  std::string why(const std::string& path) {
    return NeverTouch(around_).why(path).value_or("may be touched");
  }
  std::string why_in_tree(const std::string& path) { return why(tree_.path(path)); }

  testing::TempTree tree_;
  Surroundings around_;
};

TEST_F(NeverTouchTest, OrdinaryFilesAndDirectoriesMayBeTouched) {
  tree_.file("home/project/a.o", 3);
  EXPECT_EQ(why_in_tree("home/project/a.o"), "may be touched");
  EXPECT_EQ(why_in_tree("home/project"), "may be touched");
}

TEST_F(NeverTouchTest, TheRootAndVarAndWhatIsDirectlyInThemMayNot) {
  EXPECT_EQ(why("/"), "is the root directory");
  EXPECT_EQ(why("/srv"), "is directly in the root directory");
  EXPECT_EQ(why("/var/tmp"), "is directly in /var");
  EXPECT_EQ(why("/var/spool"), "is directly in /var");
}

TEST_F(NeverTouchTest, PathsMustBeAbsoluteAndWithoutDots) {
  EXPECT_EQ(why("tmp/x"), "is not an absolute path without . and ..");
  EXPECT_EQ(why("/tmp/../etc/passwd"), "is not an absolute path without . and ..");
  EXPECT_EQ(why(""), "is not an absolute path without . and ..");
}

TEST_F(NeverTouchTest, TheSystemMayNot) {
  EXPECT_EQ(why("/usr/share/doc"), "belongs to the system, as all of /usr does");
  EXPECT_EQ(why("/var/lib/dpkg"), "belongs to the system, as all of /var/lib does");
  EXPECT_EQ(why("/usrx/share"), "cannot be reached (No such file or directory)");
}

TEST_F(NeverTouchTest, TheHomeDirectoryAndWhatContainsItMayNot) {
  tree_.file("home/.cache/pip/x");
  EXPECT_EQ(why_in_tree("home"), "is your home directory");
  EXPECT_EQ(why(tree_.path()), "contains your home directory");
  EXPECT_EQ(why_in_tree("home/.cache"), "is your cache directory");
  EXPECT_EQ(why_in_tree("home/.cache/pip"), "may be touched");
}

TEST_F(NeverTouchTest, MountPointsAndWhatContainsThemMayNot) {
  tree_.dir("a/mounted/b");
  fs::Mount whole;
  whole.point = "/";
  whole.type = "ext4";
  fs::Mount inner;
  inner.point = tree_.path("a/mounted");
  inner.type = "proc";
  around_.mounts = {whole, inner};
  EXPECT_EQ(why_in_tree("a/mounted"), "is a mount point");
  EXPECT_EQ(why_in_tree("a"), "contains the mount point " + tree_.path("a/mounted"));
  EXPECT_EQ(why_in_tree("a/mounted/b"), "is on a filesystem of the kernel (proc)");
}

// A part of the first filesystem.
fs::Mount mount(const std::string& top, const std::string& point) {
  fs::Mount made;
  made.device = 1;
  made.top = top;
  made.point = point;
  made.type = "ext4";
  return made;
}

// A bind mount, as in a directory for chroot.
TEST_F(NeverTouchTest, TheSystemMayNotUnderAnotherName) {
  tree_.dir("jail/lib/terminfo");
  tree_.dir("whole/srv/data");
  tree_.dir("old/homes/ana");
  tree_.dir("data/volume");
  around_.mounts = {mount("/", "/"), mount("/usr/lib", tree_.path("jail/lib")),
                    mount("/", tree_.path("whole")), mount(tree_.path("old/homes"), "/home"),
                    mount(tree_.path("data/volume"), "/var/lib/containers/1/volume")};
  EXPECT_EQ(why_in_tree("jail/lib/terminfo"),
            "is also /usr/lib/terminfo, which belongs to the system, as all of /usr does");
  EXPECT_EQ(why_in_tree("whole/srv"), "is also /srv, which is directly in the root directory");
  EXPECT_EQ(why_in_tree("whole/srv/data"), "may be touched");
  EXPECT_EQ(why_in_tree("old/homes"), "is also /home, which is directly in the root directory");
  EXPECT_EQ(why_in_tree("old/homes/ana"), "is also /home/ana, which is a home directory");
  EXPECT_EQ(why_in_tree("old"),
            "contains what is also /home, which is directly in the root directory");
  // The data of a user in a container.
  EXPECT_EQ(why_in_tree("data"), "may be touched");
  EXPECT_EQ(why_in_tree("data/volume"), "may be touched");
}

TEST_F(NeverTouchTest, AMountThatAnotherOneHidesDoesNotCount) {
  tree_.dir("homes/ana");
  around_.mounts = {mount("/", "/"), mount(tree_.path("homes"), "/home"), mount("/", "/home")};
  around_.mounts.back().device = 2;
  EXPECT_EQ(why_in_tree("homes/ana"), "may be touched");
}

// As a subvolume of btrfs below a mount of its whole filesystem.
TEST_F(NeverTouchTest, TheRootDirectoryMayNotUnderAnotherName) {
  tree_.dir("all/@/usr");
  around_.mounts = {mount("/@", "/"), mount("/", tree_.path("all"))};
  EXPECT_EQ(why_in_tree("all/@"), "is also /, which is the root directory");
  EXPECT_EQ(why_in_tree("all/@/usr"), "is also /usr, which is directly in the root directory");
}

TEST_F(NeverTouchTest, OtherFilesystemsThanThatOfTheRootMayNot) {
  tree_.file("a/b");
  struct stat here = {};
  ASSERT_EQ(::stat(tree_.path().c_str(), &here), 0);
  const NeverTouch never(around_);
  EXPECT_FALSE(never.why(tree_.path("a/b"), here.st_dev));
  EXPECT_EQ(never.why(tree_.path("a/b"), here.st_dev + 1),
            "is on another filesystem than the directory that was named");
}

TEST_F(NeverTouchTest, RepositoriesAndWorkTreesMayNot) {
  tree_.file("p/.git/objects/x");
  tree_.file("p/target/x");
  tree_.write("linked/.git", "gitdir: elsewhere\n");
  for (const char* name : {"bare/HEAD", "bare/objects/ab/c", "bare/refs/heads/main"}) {
    tree_.file(name);
  }
  EXPECT_EQ(why_in_tree("p"), "is a git work tree");
  EXPECT_EQ(why_in_tree("linked"), "is a git work tree");
  EXPECT_EQ(why_in_tree("p/.git"), "is a git directory");
  EXPECT_EQ(why_in_tree("p/.git/objects"), "is inside a git directory");
  EXPECT_EQ(why_in_tree("bare"), "is a git repository");
  EXPECT_EQ(why_in_tree("bare/objects/ab"), "is inside the git repository " + tree_.path("bare"));
  EXPECT_EQ(why_in_tree("p/target"), "may be touched");
}

TEST_F(NeverTouchTest, KeysPasswordsAndMailMayNot) {
  tree_.file("home/.ssh/id");
  tree_.file("home/Maildir/cur/1");
  tree_.file("home/secrets.kdbx");
  EXPECT_EQ(why_in_tree("home/.ssh/id"), "is inside a directory of keys");
  EXPECT_EQ(why_in_tree("home/Maildir"), "is a mailbox");
  EXPECT_EQ(why_in_tree("home/secrets.kdbx"), "is a store of passwords");
}

TEST_F(NeverTouchTest, OfBrowserProfilesOnlyTheirCachesMayBeTouched) {
  tree_.file("home/.config/chromium/Default/Cookies");
  tree_.file("home/.config/chromium/Default/GPUCache/data_0");
  EXPECT_EQ(why_in_tree("home/.config/chromium"), "is a directory of browser profiles");
  EXPECT_EQ(why_in_tree("home/.config/chromium/Default/Cookies"),
            "is inside a directory of browser profiles");
  EXPECT_EQ(why_in_tree("home/.config/chromium/Default/GPUCache"), "may be touched");
}

TEST_F(NeverTouchTest, DatabasesMayNot) {
  tree_.file("pg/PG_VERSION");
  tree_.file("pg/base/1/2");
  tree_.file("app/cache.db");
  tree_.file("app/cache.db-wal");
  tree_.file("app/other.db");
  tree_.file("app/lonely-wal");
  EXPECT_EQ(why_in_tree("pg"), "is a PostgreSQL database");
  EXPECT_EQ(why_in_tree("pg/base/1"), "is inside a PostgreSQL database");
  EXPECT_EQ(why_in_tree("app/cache.db"), "is a SQLite database in use: cache.db-wal exists");
  EXPECT_EQ(why_in_tree("app/cache.db-wal"), "is part of the SQLite database cache.db");
  EXPECT_EQ(why_in_tree("app/other.db"), "may be touched");
  EXPECT_EQ(why_in_tree("app/lonely-wal"), "may be touched");
}

TEST_F(NeverTouchTest, SwapFilesQuotasAndDisksOfMachinesMayNot) {
  for (const char* name : {"a/swap", "a/aquota.user", "a/vm.qcow2"}) tree_.file(name);
  around_.swap_files = {tree_.path("a/swap")};
  EXPECT_EQ(why_in_tree("a/swap"), "is a swap file in use");
  EXPECT_EQ(why_in_tree("a/aquota.user"), "is a quota file");
  EXPECT_EQ(why_in_tree("a/vm.qcow2"), "is the disk of a virtual machine");
}

TEST_F(NeverTouchTest, WhatIsBehindALinkMayNotButTheLinkMay) {
  tree_.file("real/below/x");
  tree_.symlink("real", "link");
  EXPECT_EQ(why_in_tree("link/below/x"), "is behind the symbolic link " + tree_.path("link"));
  EXPECT_EQ(why_in_tree("link"), "may be touched");
}

TEST_F(NeverTouchTest, FathomsOwnFilesMayNot) {
  tree_.file("a/.fathom-quarantine-1000/run/x");
  tree_.file("home/.local/share/fathom/snapshots/x");
  tree_.write("a/notes", R"({"schema":"fathom.dups.plan/1","action":"hardlink"})");
  tree_.write("a/other", R"({"schema":"something else, of the same length"})");
  EXPECT_EQ(why_in_tree("a/.fathom-quarantine-1000"), "belongs to Fathom");
  EXPECT_EQ(why_in_tree("a/.fathom-quarantine-1000/run"), "belongs to Fathom");
  EXPECT_EQ(why_in_tree("a/.Trash-0/files/.fathom-quarantine-0"), "belongs to Fathom");
  EXPECT_EQ(why_in_tree("home/.local/share/fathom/snapshots"), "belongs to Fathom");
  EXPECT_EQ(why_in_tree("a/notes"), "is a plan, a journal or a result of Fathom");
  EXPECT_EQ(why_in_tree("a/other"), "may be touched");
}

TEST_F(NeverTouchTest, WhatIsMissingMayNot) {
  EXPECT_EQ(why_in_tree("nothing"), "cannot be examined (No such file or directory)");
}

TEST_F(NeverTouchTest, NamesThatMayNotBeInADirectoryAreKnown) {
  const auto inside = [](const std::string& path, bool has_entries = true) {
    return never_inside({std::string_view(path).substr(path.rfind('/') + 1), [&] { return path; },
                         [&] { return has_entries; }});
  };
  EXPECT_EQ(inside("/a/.git"), "a git directory");
  EXPECT_EQ(inside("/a/PG_VERSION"), "a PostgreSQL database");
  EXPECT_EQ(inside("/a/disk.vdi"), "the disk of a virtual machine");
  EXPECT_EQ(inside("/a/quota.user"), "a quota file");
  EXPECT_EQ(inside("/a/main.o"), std::nullopt);
  EXPECT_EQ(inside("/a/.mozilla/firefox"), "a directory of browser profiles");
  EXPECT_EQ(inside("/a/.mozilla"), std::nullopt);
  EXPECT_EQ(inside("/a/.config/chromium"), "a directory of browser profiles");
  EXPECT_EQ(inside("/a/packages/chromium"), std::nullopt);
  EXPECT_EQ(inside("/a/.local/share/keyrings"), "a store of passwords");
  EXPECT_EQ(inside("/a/usr/share/keyrings"), std::nullopt);  // public keys of packages
  EXPECT_EQ(inside("/a/chroot/var/mail"), "a mailbox");
  EXPECT_EQ(inside("/a/chroot/var/mail", /*has_entries=*/false), std::nullopt);
}

TEST(OwnSurroundings, KnowTheHomeDirectoryAndTheMounts) {
  const Surroundings around = own_surroundings();
  EXPECT_TRUE(around.variables.contains("ROOT"));
  if (around.variables.contains("HOME")) {
    const NeverTouch never(around);
    EXPECT_TRUE(never.why(around.variables.at("HOME")));
  }
}

}  // namespace
}  // namespace fathom::act
