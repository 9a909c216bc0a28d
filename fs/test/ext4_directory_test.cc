// The blocks of directories of ext4: each test makes a correct one and changes one thing, after
// which the checksum is made right again.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ext4_made.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {
namespace {

constexpr std::uint32_t kSomeSeed = 0x5eed;

// ---- Names

constexpr std::size_t kTailAt = 4096 - 12;
// Where the third entry is, if the first ones are "." and "..".
constexpr std::size_t kThird = 24;
constexpr std::size_t kLength = 4;
constexpr std::size_t kNameLength = 6;
constexpr std::size_t kType = 7;
constexpr std::size_t kName = 8;

// An entry for each name, with the inodes 100, 101, ...; the last one takes the rest of the block.
Made made_leaf(const std::vector<std::string>& names) {
  Made block(4096);
  std::size_t at = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t least = (kName + names[i].size() + 3) / 4 * 4;
    const std::size_t length = i + 1 == names.size() ? kTailAt - at : least;
    put32(block, at, static_cast<std::uint32_t>(100 + i));
    put16(block, at + kLength, static_cast<std::uint32_t>(length));
    block[at + kNameLength] = std::byte(names[i].size());
    block[at + kType] = std::byte{1};
    for (std::size_t j = 0; j < names[i].size(); ++j)
      block[at + kName + j] = std::byte(names[i][j]);
    at += length;
  }
  return block;
}

// The names in a block with their inodes; nothing if it is wrong.
std::optional<std::string> names_as_they_are(const Made& block, bool first, bool indexed = false) {
  const DirectoryInode directory{
      .seed = kSomeSeed, .blocks = 1, .indexed = indexed, .extents = {}, .nodes = {}};
  std::string names;
  const bool right = for_each_name(
      directory, block, first, [&](std::string_view name, std::uint32_t inode, std::uint8_t type) {
        names += std::string(name) + ":" + std::to_string(inode) + ":" + std::to_string(type) + " ";
      });
  return right ? std::optional(names) : std::nullopt;
}

std::optional<std::string> names_in(Made block, bool first = true, bool indexed = false) {
  sign_leaf(kSomeSeed, block);
  return names_as_they_are(block, first, indexed);
}

std::optional<std::string> names_after(const Change& change) {
  Made block = made_leaf({".", "..", "abc", "d"});
  change(block);
  return names_in(block);
}

TEST(Ext4Leaf, HasNamesInodesAndTypes) {
  EXPECT_EQ(names_in(made_leaf({".", "..", "abc", "d"})), "..:101:1 abc:102:1 d:103:1 ");
  EXPECT_EQ(names_in(made_leaf({"abc", "d"}), false), "abc:100:1 d:101:1 ");
  EXPECT_EQ(names_after([](Made& block) { block[kThird + kType] = std::byte{7}; }),
            "..:101:1 abc:102:7 d:103:1 ");
}

TEST(Ext4Leaf, HasNamesOf255Bytes) {
  const std::string longest(255, 'n');
  EXPECT_EQ(names_in(made_leaf({longest, "x"}), false), longest + ":100:1 x:101:1 ");
}

TEST(Ext4Leaf, DoesNotHaveDeletedNames) {
  EXPECT_EQ(names_after([](Made& block) { put32(block, kThird, 0); }), "..:101:1 d:103:1 ");
  EXPECT_EQ(names_in(made_leaf({""}), false), std::nullopt);
  Made empty = made_leaf({""});
  put32(empty, 0, 0);
  EXPECT_EQ(names_in(empty, false), "");
}

TEST(Ext4Leaf, WithAWrongChecksumIsRefused) {
  Made block = made_leaf({".", "..", "abc"});
  sign_leaf(kSomeSeed, block);
  ASSERT_TRUE(names_as_they_are(block, true));
  for (std::size_t at = 0; at < block.size(); ++at) {
    Made changed = block;
    changed[at] ^= std::byte{1};
    ASSERT_EQ(names_as_they_are(changed, true), std::nullopt) << at;
    ASSERT_EQ(names_as_they_are(changed, true, true), std::nullopt) << at;
  }
}

TEST(Ext4Leaf, WithAWrongLengthOfAnEntryIsRefused) {
  const auto with_length = [](std::uint32_t length) {
    return names_after([length](Made& block) { put16(block, kThird + kLength, length); });
  };
  EXPECT_EQ(with_length(12), "..:101:1 abc:102:1 d:103:1 ");
  for (const std::uint32_t length : {0U, 4U, 8U}) EXPECT_EQ(with_length(length), std::nullopt);
  for (const std::uint32_t length : {13U, 14U, 15U}) EXPECT_EQ(with_length(length), std::nullopt);
  // Up to the entry with the checksum, of which the last 4 bytes cannot be an entry.
  EXPECT_EQ(with_length(kTailAt - kThird), "..:101:1 abc:102:1 ");
  EXPECT_EQ(with_length(kTailAt - kThird - 4), std::nullopt);
  EXPECT_EQ(with_length(kTailAt - kThird + 4), std::nullopt);
  EXPECT_EQ(with_length(0xfffc), std::nullopt);
}

TEST(Ext4Leaf, WithAnEntryAtAnOddPlaceIsRefused) {
  const auto with_last_entry_at = [](std::size_t at) {
    return names_after([at](Made& block) {
      put16(block, kThird + kLength, static_cast<std::uint32_t>(at - kThird));
      put32(block, at, 103);
      put16(block, at + kLength, static_cast<std::uint32_t>(kTailAt - at));
      put16(block, at + kNameLength, 0x101);  // a byte of a name, and the type
      block[at + kName] = std::byte{'e'};
    });
  };
  EXPECT_EQ(with_last_entry_at(kThird + 16), "..:101:1 abc:102:1 e:103:1 ");
  for (std::size_t more = 13; more < 16; ++more) {
    EXPECT_EQ(with_last_entry_at(kThird + more), std::nullopt) << more;
  }
}

TEST(Ext4Leaf, WithAWrongLengthOfANameIsRefused) {
  const auto with_length = [](unsigned length) {
    return names_after([length](Made& block) { block[kThird + kNameLength] = std::byte(length); });
  };
  EXPECT_EQ(with_length(2), "..:101:1 ab:102:1 d:103:1 ");
  EXPECT_EQ(with_length(5), std::nullopt);
  EXPECT_EQ(with_length(0), std::nullopt);
}

TEST(Ext4Leaf, AtTheBeginHasTheParentOnce) {
  EXPECT_EQ(names_in(made_leaf({".", ".."})), "..:101:1 ");
  EXPECT_EQ(names_in(made_leaf({"."})), std::nullopt);
  EXPECT_EQ(names_in(made_leaf({".", "abc"})), std::nullopt);
  EXPECT_EQ(names_in(made_leaf({".", "abc", ".."})), std::nullopt);
  EXPECT_EQ(names_in(made_leaf({".", "..", ".."})), std::nullopt);
  EXPECT_EQ(names_in(made_leaf({".", "..", "abc", ".."})), std::nullopt);
}

TEST(Ext4Leaf, BehindTheFirstOneDoesNotHaveTheParent) {
  EXPECT_EQ(names_in(made_leaf({"..", "abc"}), false), std::nullopt);
  EXPECT_EQ(names_in(made_leaf({"abc", ".."}), false), std::nullopt);
}

TEST(Ext4Leaf, WithANameThatNoFileCanHaveIsRefused) {
  for (const std::string& name : {std::string("a/b"), std::string("/"), std::string("a\0b", 3)}) {
    EXPECT_EQ(names_in(made_leaf({".", "..", name})), std::nullopt) << name;
    EXPECT_EQ(names_in(made_leaf({name}), false), std::nullopt) << name;
  }
}

TEST(Ext4Leaf, MayBelongToAnIndexedDirectory) {
  EXPECT_EQ(names_in(made_leaf({"abc"}), false, true), "abc:100:1 ");
  EXPECT_EQ(names_in(made_leaf({".", "..", "abc"}), true, true), "..:101:1 abc:102:1 ");
}

// ---- Indexes

// The root of an index, in which an entry ".." hides all that follows.
Made made_index_root(std::uint32_t most, std::uint32_t count) {
  Made block(4096);
  put32(block, 0, 100);
  put32(block, 4, 0x0201000c);
  put32(block, 8, '.');
  put32(block, 12, 2);
  put32(block, 16, 0x02020000 | (4096 - 12));
  put32(block, 20, '.' << 8 | '.');
  block[29] = std::byte{8};  // bytes of this
  put16(block, 32, most);
  put16(block, 34, count);
  return block;
}

// Another node of an index: an entry without an inode hides all that follows.
Made made_index_node(std::uint32_t most, std::uint32_t count) {
  Made block(4096);
  put16(block, 4, 4096);
  put16(block, 8, most);
  put16(block, 10, count);
  return block;
}

std::optional<std::string> names_in_index(Made block, bool first, bool indexed = true) {
  sign_index(kSomeSeed, block, first);
  return names_as_they_are(block, first, indexed);
}

constexpr std::uint32_t kMostInRoot = (4096 - 32) / 8 - 1;
constexpr std::uint32_t kMostInNode = (4096 - 8) / 8 - 1;

TEST(Ext4Index, HasTheParentInItsRootAndNoOtherNames) {
  EXPECT_EQ(names_in_index(made_index_root(kMostInRoot, 3), true), "..:2:2 ");
  EXPECT_EQ(names_in_index(made_index_root(kMostInRoot, kMostInRoot), true), "..:2:2 ");
  EXPECT_EQ(names_in_index(made_index_node(kMostInNode, 3), false), "");
  EXPECT_EQ(names_in_index(made_index_node(kMostInNode, kMostInNode), false), "");
}

TEST(Ext4Index, IsNotExpectedInOtherDirectories) {
  EXPECT_EQ(names_in_index(made_index_root(kMostInRoot, 3), true, false), std::nullopt);
  EXPECT_EQ(names_in_index(made_index_node(kMostInNode, 3), false, false), std::nullopt);
}

TEST(Ext4Index, WithAWrongChecksumIsRefused) {
  Made block = made_index_root(kMostInRoot, 3);
  sign_index(kSomeSeed, block, true);
  ASSERT_TRUE(names_as_they_are(block, true, true));
  for (std::size_t at = 0; at < 32 + 3 * 8; ++at) {
    Made changed = block;
    changed[at] ^= std::byte{1};
    EXPECT_EQ(names_as_they_are(changed, true, true), std::nullopt) << at;
  }
  for (std::size_t at = 4096 - 8; at < 4096; ++at) {
    Made changed = block;
    changed[at] ^= std::byte{1};
    EXPECT_EQ(names_as_they_are(changed, true, true), std::nullopt) << at;
  }
}

TEST(Ext4Index, WithMoreEntriesThanRoomIsRefused) {
  EXPECT_EQ(names_in_index(made_index_root(3, 4), true), std::nullopt);
  EXPECT_EQ(names_in_index(made_index_root(kMostInRoot + 1, 3), true), std::nullopt);
  EXPECT_EQ(names_in_index(made_index_root(0xffff, 3), true), std::nullopt);
  EXPECT_EQ(names_in_index(made_index_node(kMostInNode + 1, 3), false), std::nullopt);
}

}  // namespace
}  // namespace fathom::fs::ext4
