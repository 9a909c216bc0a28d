// EarlierVolume: tables of the entries of a tree, without what has changed.

#include "volume/earlier_volume.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "fathom/fs/tree_builder.h"

namespace fathom::fs {
namespace {

constexpr std::uint64_t kDevice = 5;
constexpr std::uint64_t kOther = 6;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStarted = 100;  // seconds

Entry entry(std::uint64_t inode, unsigned type, std::int64_t ctime = kSecond) {
  return {.size = inode * 10,
          .inode = inode,
          .device = kDevice,
          .mtime = 1,
          .links = 1,
          .mode = static_cast<std::uint16_t>(type | 0644),
          .times = {.mtime = kSecond, .ctime = ctime, .btime = kSecond}};
}

Inode inode_of(const Entry& of) {
  return {.size = of.size,
          .mtime = of.times.mtime,
          .ctime = of.times.ctime,
          .btime = of.times.btime,
          .links = of.links,
          .mode = of.mode};
}

// top (2) with file (3), folder (4), which has inner (5) and again, a further name of the inode 3.
class EarlierVolumes : public ::testing::Test {
 protected:
  Tree made(std::uint8_t flags_of_folder = 0, std::uint64_t device_of_inner = kDevice) {
    TreeBuilder builder(true);
    NodeId root = kNoNode;
    {
      TreeBuilder::Appender rows(builder);
      const auto top = rows.add_directory(kNoDir, 0, "/top", folder(2));
      root = top.node;
      rows.add(top.id, "file", entry(3, S_IFREG));
      const auto inside = rows.add_directory(top.id, 1, "folder", folder(4), flags_of_folder);
      Entry inner = entry(5, S_IFREG);
      inner.device = device_of_inner;
      rows.add(inside.id, "inner", inner);
      rows.add(inside.id, "again", entry(3, S_IFREG));
    }
    return builder.finish({root});
  }

  static Entry folder(std::uint64_t inode, std::int64_t ctime = kSecond) {
    return entry(inode, S_IFDIR, ctime);
  }
  static std::vector<std::string> names_in(const VolumeTables& tables, std::uint64_t directory) {
    std::vector<std::string> names;
    tables.names.for_each_name(directory, [&](const NameTable::Name& name) {
      names.push_back(std::string(name.name) + "=" + std::to_string(name.inode));
      return true;
    });
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(EarlierVolumes, HaveTheInodesAndNamesOfTheTree) {
  const Tree tree = made();
  const EarlierTree by_inode(tree, true);
  const EarlierVolume volume(by_inode, kDevice, kStarted);
  EXPECT_EQ(volume.entries(), 4U);
  EXPECT_EQ(volume.directories(), 2U);
  const VolumeTables tables = volume.tables({});
  EXPECT_EQ(tables.inodes.size(), 4U);
  ASSERT_NE(tables.inodes.find(3), nullptr);
  EXPECT_EQ(tables.inodes.find(3)->size, 30U);
  EXPECT_EQ(names_in(tables, 2), (std::vector<std::string>{"file=3", "folder=4"}));
  EXPECT_EQ(names_in(tables, 4), (std::vector<std::string>{"again=3", "inner=5"}));
  EXPECT_TRUE(tables.names.knows(4, 2));
  EXPECT_FALSE(tables.names.knows(4, 3));
}

TEST_F(EarlierVolumes, HaveWhatHasChangedAsItIsNow) {
  const Tree tree = made();
  const EarlierTree by_inode(tree, true);
  const EarlierVolume volume(by_inode, kDevice, kStarted);
  Inode grown = inode_of(entry(3, S_IFREG));
  grown.size = 77;
  const Inode fresh = inode_of(entry(9, S_IFREG));
  const VolumeTables tables = volume.tables(
      {{.number = 1, .inode = fresh}, {.number = 3, .inode = grown}, {.number = 5}, {9, fresh}});
  EXPECT_EQ(tables.inodes.find(3)->size, 77U);
  EXPECT_EQ(tables.inodes.find(5), nullptr) << "it is in doubt";
  EXPECT_NE(tables.inodes.find(1), nullptr);
  EXPECT_NE(tables.inodes.find(9), nullptr);
}

TEST_F(EarlierVolumes, KnowNoNamesOfADirectoryThatHasChanged) {
  const Tree tree = made();
  const EarlierTree by_inode(tree, true);
  const EarlierVolume volume(by_inode, kDevice, kStarted);
  const Inode changed = inode_of(folder(4, 2 * kSecond));
  const VolumeTables tables = volume.tables({{.number = 4, .inode = changed}});
  EXPECT_FALSE(tables.names.knows(4));
  EXPECT_TRUE(tables.names.knows(2));
}

TEST_F(EarlierVolumes, KeepTheNamesIfOnlyTheTransactionOfADirectoryHasChanged) {
  const Tree tree = made();
  const EarlierTree by_inode(tree, true);
  const EarlierVolume volume(by_inode, kDevice, kStarted);
  const VolumeTables tables = volume.tables({{.number = 4, .inode = inode_of(folder(4))}});
  EXPECT_TRUE(tables.names.knows(4));
}

TEST_F(EarlierVolumes, HaveNamesOnlyOfDirectoriesWithTheSameTimes) {
  const Tree tree = made();
  const EarlierTree by_inode(tree, true);
  const EarlierVolume volume(by_inode, kDevice, kStarted);
  const Inode same = inode_of(folder(4));
  EXPECT_TRUE(volume.has_names_of(4, same));
  for (std::int64_t Inode::*const time : {&Inode::mtime, &Inode::ctime, &Inode::btime}) {
    Inode other = same;
    ++(other.*time);
    EXPECT_FALSE(volume.has_names_of(4, other));
  }
  EXPECT_FALSE(volume.has_names_of(3, inode_of(entry(3, S_IFREG)))) << "a file";
  EXPECT_FALSE(volume.has_names_of(7, same)) << "it was not there";
}

TEST_F(EarlierVolumes, HaveNoNamesOfDirectoriesThatChangedWhenTheScanBegan) {
  const Tree tree = made();
  EXPECT_TRUE(
      EarlierVolume(EarlierTree(tree, true), kDevice, 2).has_names_of(4, inode_of(folder(4))));
  EXPECT_FALSE(
      EarlierVolume(EarlierTree(tree, true), kDevice, 1).has_names_of(4, inode_of(folder(4))));
}

TEST_F(EarlierVolumes, HaveNoNamesOfDirectoriesThatWereNotReadCompletely) {
  for (const NodeFlag flag : {kIncomplete, kHasOmittedChildren}) {
    const Tree tree = made(flag);
    const EarlierTree by_inode(tree, true);
    const EarlierVolume volume(by_inode, kDevice, kStarted);
    EXPECT_FALSE(volume.has_names_of(4, inode_of(folder(4))));
    EXPECT_FALSE(volume.tables({}).names.knows(4));
  }
}

TEST_F(EarlierVolumes, AskTheKernelWhatLeadsToAnotherFilesystem) {
  const Tree tree = made(0, kOther);
  const EarlierTree by_inode(tree, true);
  const EarlierVolume volume(by_inode, kDevice, kStarted);
  EXPECT_EQ(volume.entries(), 3U);
  EXPECT_EQ(names_in(volume.tables({}), 4), (std::vector<std::string>{"again=3", "inner=0"}));
  EXPECT_EQ(EarlierVolume(EarlierTree(tree, true), 77, kStarted).entries(), 0U);
}

TEST_F(EarlierVolumes, LeaveInDoubtWhatTheTreeDoesNotKnow) {
  TreeBuilder builder(true);
  NodeId root = kNoNode;
  {
    TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(kNoDir, 0, "/top", folder(2));
    root = top.node;
    rows.add(top.id, "no time", entry(3, S_IFREG, kUnknownTime));
    Entry many = entry(4, S_IFREG);
    many.links = kManyLinks;
    rows.add(top.id, "many links", many);
  }
  const Tree tree = builder.finish({root});
  const VolumeTables exact = EarlierVolume(EarlierTree(tree, true), kDevice, kStarted).tables({});
  EXPECT_EQ(exact.inodes.find(3), nullptr);
  EXPECT_EQ(exact.inodes.find(4), nullptr);
  const VolumeTables coarse = EarlierVolume(EarlierTree(tree, false), kDevice, kStarted).tables({});
  ASSERT_NE(coarse.inodes.find(3), nullptr) << "whole seconds are enough";
  EXPECT_EQ(coarse.inodes.find(3)->mtime, kSecond);
}

}  // namespace
}  // namespace fathom::fs
