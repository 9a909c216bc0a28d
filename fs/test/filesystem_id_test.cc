// Filesystems have identities that do not depend on device numbers.

#include "fathom/fs/filesystem_id.h"

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <set>
#include <string>

#include "fathom/base/error.h"
#include "fathom/fs/scan.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/subprocess.h"
#include "fathom/testing/temp_tree.h"
#include "mounts.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

// The identities in a scan of the path.
std::set<std::string> ids_in(const std::string& path) {
  ScanOptions options;
  options.roots = {path};
  std::set<std::string> ids;
  for (const auto& [device, id] : filesystem_ids(scan(options).tree)) ids.insert(id);
  return ids;
}

// The only one. Throws if there is none or another.
std::string id_of(const std::string& path) {
  const std::set<std::string> ids = ids_in(path);
  require(ids.size() == 1, path + " has " + std::to_string(ids.size()) + " identities");
  return *ids.begin();
}

class FilesystemId : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::is_root()) GTEST_SKIP() << "only root may mount";
    if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  }

  TempTree tree_;
};

TEST_F(FilesystemId, IsThatOfTheFilesystemWhereverItIsMounted) {
  tree_.dir("one");
  tree_.dir("two");
  tree_.dir("again");
  const int status = testing::in_mount_namespace([&] {
    mount_tmpfs(tree_.path("one"));
    mount_tmpfs(tree_.path("two"));
    bind_mount(tree_.path("one"), tree_.path("again"));
    const std::set<std::string> ids = ids_in(tree_.path("one"));
    if (ids.empty()) return;  // before Linux 6.9
    require(id_of(tree_.path("one")) == id_of(tree_.path("again")), "the same filesystem");
    require(id_of(tree_.path("one")) != id_of(tree_.path("two")), "another filesystem");
  });
  EXPECT_EQ(status, 0);
}

// Some filesystems have no UUID, and containers hide those of others.
TEST(FilesystemIdWithoutUuid, IsTheInodeAndTheCreationOfTheTopmostDirectory) {
  TempTree tree;
  tree.file("a/file", 1);
  ScanOptions options;
  options.roots = {tree.path("a/file"), tree.path()};
  options.read_times = true;
  const Tree found = scan(options).tree;
  const NodeId top = found.roots().back();
  const auto ids = filesystem_ids(found);
  const auto id = ids.find(found.device(top));
  if (id == ids.end()) GTEST_SKIP() << "the filesystem does not tell times of creation";
  if (!id->second.starts_with(kDirectoryPrefix)) GTEST_SKIP() << "the filesystem has a UUID";
  EXPECT_EQ(id->second, std::string(kDirectoryPrefix) + std::to_string(found.inode(top)) + "-" +
                            std::to_string(found.times(top).btime));
}

// Inode numbers are unique only within a subvolume, and device numbers change with each mount.
TEST_F(FilesystemId, TellsTheSubvolumesOfABtrfsApart) {
  constexpr std::size_t kBytes = std::size_t{200} << 20;
  tree_.sparse("disk", kBytes);
  tree_.dir("mounted");
  try {
    if (testing::run({"mkfs.btrfs", "-q", tree_.path("disk")}).status != 0) {
      GTEST_SKIP() << "a btrfs cannot be created here";
    }
  } catch (const base::SystemError&) {
    GTEST_SKIP() << "mkfs.btrfs is not installed";
  }
  const std::string top = tree_.path("mounted");
  const int status = testing::in_mount_namespace([&] {
    const auto mount = [&] {
      return testing::run({"mount", "-o", "loop", tree_.path("disk"), top}).status == 0;
    };
    if (!mount()) {
      std::ofstream(tree_.path("not mounted"));
      return;
    }
    require(testing::run({"btrfs", "subvolume", "create", top + "/inner"}).status == 0, "create");
    const std::set<std::string> both = ids_in(top);
    require(both.size() == 2, "two subvolumes");
    const std::string inner = id_of(top + "/inner");
    require(both.count(inner) == 1, "one of them");
    require(::umount(top.c_str()) == 0 && mount(), "mounted again");
    require(id_of(top + "/inner") == inner, "the same identity");
  });
  if (::access(tree_.path("not mounted").c_str(), F_OK) == 0) {
    GTEST_SKIP() << "a btrfs cannot be mounted here";
  }
  EXPECT_EQ(status, 0);
}

// A write through a mapping changes no time of a file in memory.
TEST(LastingFilesystems, AreNotInMemory) {
  struct statfs facts = {};
  if (::statfs("/dev/shm", &facts) != 0 || facts.f_type != TMPFS_MAGIC) {
    GTEST_SKIP() << "/dev/shm is not in memory";
  }
  // A directory of its own if this user may make one: other tests have theirs there.
  std::string own = "/dev/shm/fathom-XXXXXX";
  const bool is_made = ::mkdtemp(own.data()) != nullptr;
  ScanOptions options;
  options.roots = {is_made ? own : "/dev/shm"};
  options.read_times = true;
  const Tree found = scan(options).tree;
  ::rmdir(own.c_str());
  EXPECT_EQ(lasting_filesystems(found).count(found.device(found.roots().front())), 0U);
}

TEST(LastingFilesystems, HaveTheirIdentity) {
  TempTree tree;
  struct statfs facts = {};
  ASSERT_EQ(::statfs(tree.path().c_str(), &facts), 0);
  if (facts.f_type != EXT4_SUPER_MAGIC && facts.f_type != BTRFS_SUPER_MAGIC) {
    GTEST_SKIP() << "temporary files are neither on ext4 nor on btrfs";
  }
  ScanOptions options;
  options.roots = {tree.path()};
  options.read_times = true;
  const Tree found = scan(options).tree;
  EXPECT_EQ(lasting_filesystems(found).size(), 1U);
  EXPECT_EQ(lasting_filesystems(found), filesystem_ids(found));
}

}  // namespace
}  // namespace fathom::fs
