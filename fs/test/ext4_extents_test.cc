// The extents of directories of ext4: each test makes a correct one and changes one thing, after
// which the checksum is made right again.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ext4_made.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {
namespace {

// ---- In the inode of a directory

// The header of a node, in which every entry has 12 bytes.
void put_header(Room node, std::size_t entries, std::uint32_t depth) {
  put16(node, 0, 0xf30a);
  put16(node, 2, static_cast<std::uint32_t>(entries));
  put16(node, 4, static_cast<std::uint32_t>(node.size() / 12 - 1));
  put16(node, 6, depth);
}

void put_extents(Room node, const std::vector<Extent>& extents) {
  put_header(node, extents.size(), 0);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Room entry = node.subspan(12 * (i + 1), 12);
    put32(entry, 0, extents[i].at);
    put16(entry, 4, extents[i].blocks);
    put16(entry, 6, static_cast<std::uint32_t>(extents[i].on_disk >> 32));
    put32(entry, 8, static_cast<std::uint32_t>(extents[i].on_disk));
  }
}

Room content_of(Made& raw) {
  return Room(raw).subspan(kContent, 60);
}

Made made_directory(const std::vector<Extent>& extents) {
  Made raw = made_inode(S_IFDIR | 0755);
  put32(raw, kFlags, kExtentsFlag);
  put32(raw, kSize, 4 * 4096);
  put_extents(content_of(raw), extents);
  return raw;
}

ParsedInode directory_after(const Change& change) {
  Made raw = made_directory({{.at = 0, .blocks = 4, .on_disk = 500}});
  change(raw);
  return parsed(raw);
}

// Whether the names of a directory with these extents can be located.
Found found_with(const std::vector<Extent>& extents) {
  return parsed(made_directory(extents)).found;
}

std::string text_of(const std::vector<Extent>& extents) {
  std::string text;
  for (const Extent& extent : extents) {
    text += std::to_string(extent.at) + "+" + std::to_string(extent.blocks) + "@" +
            std::to_string(extent.on_disk) + " ";
  }
  return text;
}

TEST(Ext4Directory, SaysWhereItsBlocksAre) {
  const ParsedInode found = parsed(made_directory(
      {{.at = 0, .blocks = 1, .on_disk = 500}, {.at = 1, .blocks = 3, .on_disk = 0x123400000000}}));
  ASSERT_EQ(found.found, Found::directory);
  EXPECT_EQ(found.inode.size, 4U * 4096);
  EXPECT_EQ(found.directory.blocks, 4U);
  EXPECT_FALSE(found.directory.indexed);
  EXPECT_EQ(text_of(found.directory.extents), "0+1@500 1+3@20014547599360 ");
  EXPECT_TRUE(found.directory.nodes.empty());
}

TEST(Ext4Directory, HasChecksumsWithTheSeedOfItsInode) {
  Made raw = made_directory({{.at = 0, .blocks = 4, .on_disk = 500}});
  const std::uint32_t first = parsed(raw).directory.seed;
  EXPECT_EQ(first, seed_of_inode(kSuper, kNumber, raw));
  put32(raw, kGeneration, 1);
  EXPECT_NE(parsed(raw).directory.seed, first);
}

TEST(Ext4Directory, MayBeIndexed) {
  const ParsedInode found =
      directory_after([](Made& raw) { put32(raw, kFlags, kExtentsFlag | kIndexedFlag); });
  EXPECT_EQ(found.found, Found::directory);
  EXPECT_TRUE(found.directory.indexed);
}

TEST(Ext4Directory, WithNamesThatOnlyTheKernelUnderstandsIsAnInode) {
  for (const std::uint32_t flags :
       {kExtentsFlag | kEncryptedFlag, kExtentsFlag | kInlineFlag, kInlineFlag, 0U}) {
    EXPECT_EQ(directory_after([&](Made& raw) { put32(raw, kFlags, flags); }).found, Found::inode)
        << flags;
  }
}

TEST(Ext4Directory, WithASizeThatIsNotOfWholeBlocksIsAnInode) {
  for (const std::uint32_t size : {0U, 1U, 4095U, 4097U}) {
    EXPECT_EQ(directory_after([&](Made& raw) { put32(raw, kSize, size); }).found, Found::inode)
        << size;
  }
}

TEST(Ext4Directory, WithHolesOrOverlapsIsAnInode) {
  EXPECT_EQ(found_with({{.at = 1, .blocks = 3}}), Found::inode);
  EXPECT_EQ(found_with({{.at = 0, .blocks = 1}, {.at = 1, .blocks = 3}}), Found::directory);
  EXPECT_EQ(found_with({{.at = 0, .blocks = 1}, {.at = 2, .blocks = 2}}), Found::inode);
  EXPECT_EQ(found_with({{.at = 0, .blocks = 2}, {.at = 1, .blocks = 3}}), Found::inode);
  EXPECT_EQ(found_with({{.at = 0, .blocks = 2}, {.at = 0, .blocks = 2}}), Found::inode);
}

TEST(Ext4Directory, WithEmptyOrUnwrittenExtentsIsAnInode) {
  EXPECT_EQ(found_with({{.at = 0, .blocks = 0}}), Found::inode);
  EXPECT_EQ(found_with({{.at = 0, .blocks = 32768}}), Found::directory);
  EXPECT_EQ(found_with({{.at = 0, .blocks = 32769}}), Found::inode);
}

TEST(Ext4Directory, MayHaveItsExtentsInOtherBlocks) {
  const ParsedInode found = directory_after([](Made& raw) {
    const Room node = content_of(raw);
    put_extents(node, {{}, {}});
    put16(node, 6, 1);  // one level above the extents
    put32(node, 12 + 4, 700);
    put32(node, 24 + 4, 701);
    put16(node, 24 + 8, 2);
  });
  ASSERT_EQ(found.found, Found::directory);
  EXPECT_TRUE(found.directory.extents.empty());
  EXPECT_EQ(found.directory.nodes,
            (std::vector<std::uint64_t>{700, (std::uint64_t{2} << 32) + 701}));
}

TEST(Ext4Directory, WithAnotherTreeOfExtentsIsAnInode) {
  const auto found_with_header = [](std::size_t at, std::uint32_t value) {
    return directory_after([&](Made& raw) { put16(content_of(raw), at, value); }).found;
  };
  EXPECT_EQ(found_with_header(0, 0xf30b), Found::inode);  // not a node
  EXPECT_EQ(found_with_header(2, 5), Found::inode);       // more entries than room
  EXPECT_EQ(found_with_header(4, 0), Found::inode);       // more entries than allowed
  EXPECT_EQ(found_with_header(6, 2), Found::inode);       // three levels
  EXPECT_EQ(directory_after([](Made& raw) { put_header(content_of(raw), 0, 1); }).found,
            Found::inode);
}

TEST(Ext4Directory, LeavesNothingOfTheInodeParsedBefore) {
  ParsedInode parsed;
  Made raw = made_directory({{.at = 0, .blocks = 4, .on_disk = 500}});
  sign_inode(kSuper, kNumber, raw);
  parse_inode(kSuper, kNumber, raw, parsed);
  parse_inode(kSuper, kNumber, raw, parsed);
  EXPECT_EQ(parsed.found, Found::directory);
  EXPECT_EQ(text_of(parsed.directory.extents), "0+4@500 ");
}

// ---- In blocks of their own

constexpr std::uint32_t kExtentsSeed = 0x5eed;

Made made_extents(const std::vector<Extent>& extents) {
  Made block(4096);
  put_extents(block, extents);
  return block;
}

bool takes(Made block, std::vector<Extent>& extents) {
  sign_extents(kExtentsSeed, block);
  return parse_extent_block(kExtentsSeed, block, extents);
}

TEST(Ext4ExtentBlock, ContinuesTheExtentsBefore) {
  std::vector<Extent> extents;
  EXPECT_TRUE(takes(made_extents({{.at = 0, .blocks = 2, .on_disk = 7}}), extents));
  EXPECT_TRUE(takes(made_extents({{.at = 2, .blocks = 1, .on_disk = 3}}), extents));
  EXPECT_EQ(text_of(extents), "0+2@7 2+1@3 ");
  EXPECT_FALSE(takes(made_extents({{.at = 2, .blocks = 1}}), extents));
  EXPECT_FALSE(takes(made_extents({{.at = 4, .blocks = 1}}), extents));
}

TEST(Ext4ExtentBlock, DoesNotContinueBehindTheLastBlockNumber) {
  std::vector<Extent> extents = {{.at = ~0U, .blocks = 1}};
  EXPECT_FALSE(takes(made_extents({{.at = 0, .blocks = 1}}), extents));
}

TEST(Ext4ExtentBlock, MayBeFull) {
  std::vector<Extent> many;
  for (std::uint32_t at = 0; at < 340; ++at) many.push_back({.at = at, .blocks = 1});
  std::vector<Extent> extents;
  EXPECT_TRUE(takes(made_extents(many), extents));
  EXPECT_EQ(extents.size(), 340U);
}

TEST(Ext4ExtentBlock, WithAWrongHeaderIsRefused) {
  const auto takes_with = [](std::size_t at, std::uint32_t value) {
    Made block = made_extents({{.at = 0, .blocks = 1}});
    put16(block, at, value);
    std::vector<Extent> extents;
    return takes(block, extents);
  };
  EXPECT_FALSE(takes_with(0, 0));       // not a node
  EXPECT_FALSE(takes_with(2, 341));     // more entries than room
  EXPECT_FALSE(takes_with(4, 0));       // more entries than allowed
  EXPECT_FALSE(takes_with(4, 341));     // the checksum would be behind the block
  EXPECT_FALSE(takes_with(4, 0xffff));  // the same
  EXPECT_FALSE(takes_with(6, 1));       // another level
}

TEST(Ext4ExtentBlock, WithAWrongChecksumIsRefused) {
  Made block = made_extents({{.at = 0, .blocks = 1}});
  sign_extents(kExtentsSeed, block);
  std::vector<Extent> extents;
  EXPECT_FALSE(parse_extent_block(kExtentsSeed + 1, block, extents));
  for (const std::size_t at : {0UL, 13UL, 30UL, 4091UL, 4092UL, 4095UL}) {
    Made changed = block;
    changed[at] ^= std::byte{1};
    EXPECT_FALSE(parse_extent_block(kExtentsSeed, changed, extents)) << at;
  }
  EXPECT_TRUE(extents.empty());
}

}  // namespace
}  // namespace fathom::fs::ext4
