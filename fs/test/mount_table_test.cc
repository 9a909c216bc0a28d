// Mounts: parsing the mount table, and finding the mount of a path.

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <vector>

#include "fathom/fs/mounts.h"

namespace fathom::fs {
namespace {

TEST(MountTable, IsReadLineByLine) {
  const std::vector<Mount> mounts = parse_mounts(
      "22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
      "36 22 0:31 /top /mnt rw,noatime master:1 propagate_from:2 - btrfs /dev/sdb rw,subvol=/top\n"
      "40 36 253:1048575 / /mnt/x rw - tmpfs - rw");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_EQ(mounts[0].id, 22);
  EXPECT_EQ(mounts[0].parent, 1);
  EXPECT_EQ(mounts[0].device, makedev(8, 2));
  EXPECT_EQ(mounts[0].top, "/");
  EXPECT_EQ(mounts[0].point, "/");
  EXPECT_EQ(mounts[0].type, "ext4");
  EXPECT_EQ(mounts[1].top, "/top");
  EXPECT_EQ(mounts[1].type, "btrfs");
  EXPECT_EQ(mounts[2].device, makedev(253, 1048575));
  EXPECT_EQ(mounts[2].type, "tmpfs");
}

TEST(MountTable, TellsWhereUserIdsAreNotThoseOfTheFilesystem) {
  const std::vector<Mount> mounts = parse_mounts(
      "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw,errors=continue\n"
      "2 1 8:2 / /a rw,relatime,idmapped shared:3 - ext4 /dev/sda2 rw\n"
      "3 1 8:3 / /b rw - ext4 /dev/idmapped rw,nouid32,data=ordered\n");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_FALSE(mounts[0].maps_ids);
  EXPECT_TRUE(mounts[1].maps_ids);
  EXPECT_TRUE(mounts[2].maps_ids);
}

TEST(MountTable, UnescapesPaths) {
  const std::vector<Mount> mounts =
      parse_mounts("1 0 0:1 /a\\040b /x\\011y\\012z\\134040\\400\\9 rw - a\\040b none rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].top, "/a b");
  EXPECT_EQ(mounts[0].point, "/x\ty\nz\\040\\400\\9");
  EXPECT_EQ(mounts[0].type, "a b");
}

TEST(MountTable, SkipsMalformedLines) {
  for (const char* text : {"", "\n\n", "x", "1 2", "1 2 3 / / rw - t", "1 2 3:x / / rw - t",
                           "1 2 3:4 / x rw - t none", "1 2 3:4 / / rw", "1 2 3:4 / / rw -", "-",
                           "1 2 3:4", "99999999999999999999 2 3:4 / / rw - t"}) {
    EXPECT_TRUE(parse_mounts(text).empty()) << text;
  }
}

TEST(MountOf, IsTheLastOfTheNearest) {
  const std::vector<Mount> mounts = parse_mounts(
      "1 0 0:1 / / rw - t none\n"
      "2 1 0:2 / /a rw - t none\n"
      "3 2 0:3 / /a/b rw - t none\n"
      "4 3 0:4 / /a/b rw - t none\n"
      "5 1 0:5 / /ab rw - t none\n");
  const auto id = [&](const char* path) { return mount_of(mounts, path)->id; };
  EXPECT_EQ(id("/"), 1);
  EXPECT_EQ(id("/x/a"), 1);
  EXPECT_EQ(id("/a"), 2);
  EXPECT_EQ(id("/a/bc"), 2);
  EXPECT_EQ(id("/a/b"), 4);
  EXPECT_EQ(id("/a/b/c"), 4);
  EXPECT_EQ(id("/ab/c"), 5);
  EXPECT_EQ(id("/abc"), 1);
  EXPECT_EQ(mount_of({}, "/a"), nullptr);
}

}  // namespace
}  // namespace fathom::fs
