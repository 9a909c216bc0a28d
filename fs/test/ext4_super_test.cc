// The superblock and the groups of ext4: each test makes a correct one and changes one thing, after
// which the checksum is made right again.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ext4_made.h"
#include "fathom/base/error.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {
namespace {

// ---- The superblock

constexpr std::size_t kBlocksLow = 0x4;
constexpr std::size_t kFirstBlock = 0x14;
constexpr std::size_t kBlockShift = 0x18;
constexpr std::size_t kGroupBlocks = 0x20;
constexpr std::size_t kGroupInodes = 0x28;
constexpr std::size_t kMagicAt = 0x38;
constexpr std::size_t kInodeBytes = 0x58;
constexpr std::size_t kFeatures = 0x60;
constexpr std::size_t kReadOnlyFeatures = 0x64;
constexpr std::size_t kId = 0x68;
constexpr std::size_t kDescriptorBytes = 0xfe;
constexpr std::size_t kSuperBlocksHigh = 0x150;
constexpr std::size_t kChecksumType = 0x175;
constexpr std::size_t kSeed = 0x270;

constexpr std::uint32_t kTypesExtentsAnd64Bit = 0x2 | 0x40 | 0x80;
constexpr std::uint32_t kHugeFilesAndChecksums = 0x8 | 0x400;

// Two groups, of which the second one is not full.
Made made_super() {
  Made super(kSuperBytes);
  put32(super, kBlocksLow, 40000);
  put32(super, kBlockShift, 2);
  put32(super, kGroupBlocks, 32768);
  put32(super, kGroupInodes, 8192);
  put16(super, kMagicAt, 0xef53);
  put16(super, kInodeBytes, 256);
  put32(super, kFeatures, kTypesExtentsAnd64Bit);
  put32(super, kReadOnlyFeatures, kHugeFilesAndChecksums);
  put32(super, kId, 0x12345678);
  put16(super, kDescriptorBytes, 64);
  super[kChecksumType] = std::byte{1};
  return super;
}

Super super_after(const Change& change) {
  Made super = made_super();
  change(super);
  sign_super(super);
  return parse_super(super);
}

Super some_super() {
  return super_after([](Made&) {});
}

// Why a superblock is refused; empty if it is not.
std::string refusal_of(const Made& super) {
  try {
    static_cast<void>(parse_super(super));
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

std::string refusal_after(const Change& change) {
  Made super = made_super();
  change(super);
  sign_super(super);
  return refusal_of(super);
}

// With 2 or 4 bytes at a place.
std::string refusal_with16(std::size_t at, std::uint32_t value) {
  return refusal_after([&](Made& super) { put16(super, at, value); });
}
std::string refusal_with32(std::size_t at, std::uint32_t value) {
  return refusal_after([&](Made& super) { put32(super, at, value); });
}

TEST(Ext4Super, SaysHowTheFilesystemIsArranged) {
  const Super super = some_super();
  EXPECT_EQ(super.block_bytes, 4096U);
  EXPECT_EQ(super.inode_bytes, 256U);
  EXPECT_EQ(super.descriptor_bytes, 64U);
  EXPECT_EQ(super.inodes_per_group, 8192U);
  EXPECT_EQ(super.groups, 2U);
  EXPECT_EQ(super.blocks, 40000U);
  EXPECT_TRUE(super.huge_files);
  EXPECT_FALSE(super.large_directories);
  EXPECT_EQ(super.first_inode(1), 8193U);
  EXPECT_EQ(super.descriptors_at(), 4096U);
}

TEST(Ext4Super, OfSmallBlocksIsInABlockOfItsOwn) {
  const Super super = super_after([](Made& made) {
    put32(made, kBlockShift, 0);
    put32(made, kFirstBlock, 1);
    put32(made, kGroupBlocks, 8192);
    put32(made, kBlocksLow, 1 + 2 * 8192);
  });
  EXPECT_EQ(super.block_bytes, 1024U);
  EXPECT_EQ(super.groups, 2U);
  EXPECT_EQ(super.descriptors_at(), 2048U);
}

TEST(Ext4Super, HasHighBitsOfBlocksOnlyWith64BitNumbers) {
  const auto with_high_bits = [](Made& super) { put32(super, kSuperBlocksHigh, 1); };
  EXPECT_EQ(super_after(with_high_bits).blocks, (std::uint64_t{1} << 32) + 40000);
  const Super narrow = super_after([&](Made& super) {
    with_high_bits(super);
    put32(super, kFeatures, kTypesExtentsAnd64Bit & ~0x80U);
  });
  EXPECT_EQ(narrow.blocks, 40000U);
  EXPECT_EQ(narrow.descriptor_bytes, 32U);
}

TEST(Ext4Super, MayHaveASeedThatIsNotThatOfItsId) {
  const std::uint32_t seed_of_id = some_super().seed;
  const auto with_other_id = [](Made& super) { put32(super, kId, 0x87654321); };
  EXPECT_NE(super_after(with_other_id).seed, seed_of_id);
  const Super super = super_after([&](Made& made) {
    with_other_id(made);
    put32(made, kFeatures, kTypesExtentsAnd64Bit | 0x2000);
    put32(made, kSeed, seed_of_id);
  });
  EXPECT_EQ(super.seed, seed_of_id);
}

TEST(Ext4Super, OfAnotherFilesystemIsRefused) {
  EXPECT_EQ(refusal_with16(kMagicAt, 0xef54), "it is not an ext4");
  EXPECT_EQ(refusal_of(Made(kSuperBytes - 1)), "it is not an ext4");
  EXPECT_EQ(refusal_of({}), "it is not an ext4");
}

TEST(Ext4Super, WithoutChecksumsIsRefused) {
  constexpr std::string_view kWhy = "its metadata has no checksums (the feature metadata_csum)";
  EXPECT_EQ(refusal_with32(kReadOnlyFeatures, kHugeFilesAndChecksums & ~0x400U), kWhy);
  EXPECT_EQ(refusal_with16(kChecksumType, 2), kWhy);
}

TEST(Ext4Super, WithAWrongChecksumIsRefused) {
  Made super = made_super();
  sign_super(super);
  EXPECT_EQ(refusal_of(super), "");
  for (const std::size_t at : {kBlocksLow, kId, kSeed, std::size_t{0x3ff}}) {
    Made changed = super;
    changed[at] ^= std::byte{1};
    EXPECT_EQ(refusal_of(changed), "the checksum of its superblock is wrong") << at;
  }
}

TEST(Ext4Super, WithUnknownFeaturesIsRefused) {
  constexpr std::string_view kWhy = "it has features that are not known here";
  // A journal of another filesystem, groups of descriptors, data in names, an unknown feature.
  for (const std::uint32_t feature : {0x8U, 0x10U, 0x1000U, 0x40000U, 0x80000000U}) {
    EXPECT_EQ(refusal_with32(kFeatures, kTypesExtentsAnd64Bit | feature), kWhy) << feature;
  }
  for (const std::uint32_t feature : {0x80U, 0x800U, 0x20000U, 0x80000000U}) {
    EXPECT_EQ(refusal_with32(kReadOnlyFeatures, kHugeFilesAndChecksums | feature), kWhy) << feature;
  }
  EXPECT_EQ(refusal_with32(kFeatures, kTypesExtentsAnd64Bit & ~0x2U), kWhy);
}

TEST(Ext4Super, WithFeaturesThatChangeNothingHereIsAccepted) {
  // A journal in use, protection against a second mount, large values of attributes, and so on.
  for (const std::uint32_t feature : {0x4U, 0x100U, 0x200U, 0x400U, 0x8000U, 0x10000U, 0x20000U}) {
    EXPECT_EQ(refusal_with32(kFeatures, kTypesExtentsAnd64Bit | feature), "") << feature;
  }
  EXPECT_EQ(refusal_with32(kReadOnlyFeatures, kHugeFilesAndChecksums | 0x1f377), "");
}

TEST(Ext4Super, WithTooLargeBlocksIsRefused) {
  EXPECT_EQ(refusal_with32(kBlockShift, 6), "");
  for (const std::uint32_t shift : {7U, 32U, ~0U}) {
    EXPECT_EQ(refusal_with32(kBlockShift, shift), "its blocks are larger than 64 KiB") << shift;
  }
}

TEST(Ext4Super, WithSenselessSizesIsRefused) {
  constexpr std::string_view kWhy = "its superblock makes no sense";
  for (const std::uint32_t bytes : {0U, 64U, 192U, 8192U}) {
    EXPECT_EQ(refusal_with16(kInodeBytes, bytes), kWhy) << bytes;
  }
  for (const std::uint32_t bytes : {0U, 16U, 48U, 8192U}) {
    EXPECT_EQ(refusal_with16(kDescriptorBytes, bytes), kWhy) << bytes;
  }
  for (const std::uint32_t inodes : {0U, 4096U / 256 - 1, 8 * 4096 + 1U, ~0U}) {
    EXPECT_EQ(refusal_with32(kGroupInodes, inodes), kWhy) << inodes;
  }
  EXPECT_EQ(refusal_with32(kGroupBlocks, 0), kWhy);
  EXPECT_EQ(refusal_with32(kBlocksLow, 0), kWhy);
  EXPECT_EQ(refusal_with32(kFirstBlock, 40000), kWhy);
}

TEST(Ext4Super, WithMoreInodesThanNumbersIsRefused) {
  EXPECT_EQ(refusal_with32(kSuperBlocksHigh, 1U << 30), "its superblock makes no sense");
  const auto with_groups = [](std::uint32_t groups) {
    return refusal_after([&](Made& super) {
      put32(super, kGroupBlocks, 1);
      put32(super, kBlocksLow, groups);
    });
  };
  EXPECT_EQ(with_groups(0xffffffffU / 8192), "");
  EXPECT_EQ(with_groups(0xffffffffU / 8192 + 1), "its superblock makes no sense");
}

// ---- Groups

constexpr std::uint32_t kTableBlocks = 8192 * 256 / 4096;

Made made_group(std::size_t bytes = 64) {
  Made group(bytes);
  put32(group, 0x8, 1000);  // the block of the table
  return group;
}

std::optional<Group> group_after(const Change& change, std::size_t bytes = 64) {
  Made group = made_group(bytes);
  change(group);
  sign_group(kSuper, 1, group);
  return parse_group(kSuper, 1, group);
}

TEST(Ext4Group, SaysWhereItsInodesAre) {
  const auto group = group_after([](Made& made) { put16(made, 0x1c, 100); });
  ASSERT_TRUE(group);
  EXPECT_EQ(group->table, 1000U);
  EXPECT_EQ(group->inodes, 8092U);
}

TEST(Ext4Group, HasHighBitsOnlyInWideDescriptors) {
  const auto set = [](Made& made) { put16(made, 0x32, 1); };
  const auto wide = group_after(set);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->inodes, 0U);  // more than there are have never been used
  EXPECT_FALSE(group_after([](Made& made) { put32(made, 0x28, 1); }));  // behind the last block
  const auto narrow = group_after([](Made&) {}, 32);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->inodes, 8192U);
}

TEST(Ext4Group, ThatWasNeverUsedHasNoInodes) {
  const auto group = group_after([](Made& made) { put16(made, 0x12, 1); });
  ASSERT_TRUE(group);
  EXPECT_EQ(group->inodes, 0U);
}

TEST(Ext4Group, WithAWrongChecksumIsRefused) {
  Made group = made_group();
  sign_group(kSuper, 1, group);
  EXPECT_TRUE(parse_group(kSuper, 1, group));
  EXPECT_FALSE(parse_group(kSuper, 0, group));
  for (std::size_t at = 0; at < group.size(); ++at) {
    Made changed = group;
    changed[at] ^= std::byte{0x10};
    EXPECT_FALSE(parse_group(kSuper, 1, changed)) << at;
  }
}

TEST(Ext4Group, HasItsTableInsideTheFilesystem) {
  const auto with_table = [](std::uint32_t table) {
    return group_after([table](Made& made) { put32(made, 0x8, table); });
  };
  EXPECT_TRUE(with_table(40000 - kTableBlocks));
  EXPECT_FALSE(with_table(40000 - kTableBlocks + 1));
  EXPECT_FALSE(with_table(40000));
  EXPECT_FALSE(with_table(~0U));
}

// ---- What mkfs.ext4 wrote: inputs of the fuzz target, which begin with two other bytes and end
// without zeros

Made made_by_mkfs(const std::string& name, std::size_t size) {
  std::ifstream file(FATHOM_EXT4_CORPUS "/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_GT(text.size(), 2U) << name;
  Made bytes(size);
  for (std::size_t i = 2; i < text.size() && i - 2 < size; ++i) bytes[i - 2] = std::byte(text[i]);
  return bytes;
}

TEST(Ext4OfMkfs, IsUnderstood) {
  const Super super = parse_super(made_by_mkfs("super", kSuperBytes));
  EXPECT_EQ(super.block_bytes, 1024U);
  EXPECT_TRUE(parse_group(super, 0, made_by_mkfs("group", 64)));
  const ParsedInode root = parsed_as_it_is(made_by_mkfs("root", 256), super, kRootInode);
  ASSERT_EQ(root.found, Found::directory);
  std::string names;
  EXPECT_TRUE(for_each_name(root.directory, made_by_mkfs("root_names", 1024), true,
                            [&](std::string_view name, std::uint32_t inode, std::uint8_t) {
                              if (inode == kRootInode) names += name;
                              if (name == "hello") names += name;
                            }));
  EXPECT_EQ(names, "..hello");
  const ParsedInode large = parsed_as_it_is(made_by_mkfs("root_of_nodes", 256), super, kRootInode);
  ASSERT_EQ(large.directory.nodes.size(), 1U);
  std::vector<Extent> extents;
  EXPECT_TRUE(parse_extent_block(large.directory.seed, made_by_mkfs("extents", 1024), extents));
  EXPECT_GT(extents.size(), 4U);
}

}  // namespace
}  // namespace fathom::fs::ext4
