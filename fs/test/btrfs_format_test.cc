// The items of btrfs: each test makes a correct one and changes one thing.

#include "volume/btrfs_format.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs::btrfs {
namespace {

using Data = std::vector<std::byte>;
using Edit = std::function<void(Data&)>;

constexpr std::int64_t kNanoseconds = 1'000'000'000;  // of a second

void put(Data& to, std::size_t at, std::size_t bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < bytes; ++i) to[at + i] = std::byte(value >> 8 * i);
}

// ---- Items in a buffer

// As the kernel returns it: the header has the byte order of the machine.
Data made_item(std::uint64_t object, std::uint32_t type, std::uint64_t offset, const Data& data) {
  Data item(32);
  const auto length = static_cast<std::uint32_t>(data.size());
  std::memcpy(&item[8], &object, sizeof object);
  std::memcpy(&item[16], &offset, sizeof offset);
  std::memcpy(&item[24], &type, sizeof type);
  std::memcpy(&item[28], &length, sizeof length);
  item.insert(item.end(), data.begin(), data.end());
  return item;
}

TEST(BtrfsItem, IsTakenFromTheBuffer) {
  Data buffer = made_item(257, kDirIndex, 9, Data(3, std::byte{1}));
  const Data second = made_item(~std::uint64_t{0}, ~0U, ~std::uint64_t{0}, {});
  buffer.insert(buffer.end(), second.begin(), second.end());
  Bytes rest = buffer;
  const auto item = take_item(rest);
  ASSERT_TRUE(item);
  EXPECT_EQ(item->object, 257U);
  EXPECT_EQ(item->type, kDirIndex);
  EXPECT_EQ(item->offset, 9U);
  EXPECT_EQ(item->data.data(), buffer.data() + 32);
  EXPECT_EQ(item->data.size(), 3U);
  const auto last = take_item(rest);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->object, ~std::uint64_t{0});
  EXPECT_TRUE(last->data.empty());
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(take_item(rest));
}

TEST(BtrfsItem, ThatIsNotWholeStaysInTheBuffer) {
  const Data buffer = made_item(257, kDirIndex, 9, Data(40));
  for (std::size_t length = 0; length < buffer.size(); ++length) {
    Bytes rest = Bytes(buffer).first(length);
    EXPECT_FALSE(take_item(rest)) << length;
    EXPECT_EQ(rest.size(), length);
  }
}

TEST(BtrfsItem, MayNotClaimMoreThanTheBuffer) {
  Data buffer = made_item(257, kDirIndex, 9, Data(40));
  for (const std::uint32_t length : {41U, 72U, ~0U}) {
    std::memcpy(&buffer[28], &length, sizeof length);
    Bytes rest = buffer;
    EXPECT_FALSE(take_item(rest)) << length;
  }
}

// ---- Inodes

constexpr std::size_t kSizeAt = 16;
constexpr std::size_t kBytesAt = 24;
constexpr std::size_t kLinksAt = 40;
constexpr std::size_t kModeAt = 52;
constexpr std::size_t kCtimeAt = 124;
constexpr std::size_t kMtimeAt = 136;
constexpr std::size_t kBtimeAt = 148;

Data made_inode_item() {
  Data data(160);
  put(data, kSizeAt, 8, 5000);
  put(data, kBytesAt, 8, 8192);
  put(data, kLinksAt, 4, 3);
  put(data, 44, 4, 70000);
  put(data, 48, 4, 80000);
  put(data, kModeAt, 4, S_IFREG | 0644);
  put(data, kCtimeAt, 8, 11);
  put(data, kMtimeAt, 8, 10);
  put(data, kMtimeAt + 8, 4, 999'999'999);
  put(data, kBtimeAt, 8, 12);
  return data;
}

std::optional<Inode> inode_after(const Edit& edit, std::uint32_t block_bytes = 4096) {
  Data data = made_inode_item();
  edit(data);
  return parse_inode(data, block_bytes);
}

std::optional<Inode> inode_with(std::size_t at, std::size_t bytes, std::uint64_t value) {
  return inode_after([&](Data& data) { put(data, at, bytes, value); });
}

TEST(BtrfsInode, HasTheFactsOfStat) {
  const auto inode = parse_inode(made_inode_item(), 4096);
  ASSERT_TRUE(inode);
  EXPECT_EQ(inode->size, 5000U);
  EXPECT_EQ(inode->blocks, 16U);
  EXPECT_EQ(inode->links, 3U);
  EXPECT_EQ(inode->uid, 70000U);
  EXPECT_EQ(inode->gid, 80000U);
  EXPECT_EQ(inode->mode, S_IFREG | 0644);
  EXPECT_EQ(inode->mtime, 10 * kNanoseconds + 999'999'999);
  EXPECT_EQ(inode->ctime, 11 * kNanoseconds);
  EXPECT_EQ(inode->btime, 12 * kNanoseconds);
}

TEST(BtrfsInode, UsesWholeBlocksOfTheFilesystem) {
  const auto blocks = [](std::uint64_t bytes, std::uint32_t block_bytes) {
    return inode_after([&](Data& data) { put(data, kBytesAt, 8, bytes); }, block_bytes)->blocks;
  };
  EXPECT_EQ(blocks(0, 4096), 0U);
  EXPECT_EQ(blocks(1, 4096), 8U);
  EXPECT_EQ(blocks(4096, 4096), 8U);
  EXPECT_EQ(blocks(4097, 4096), 16U);
  EXPECT_EQ(blocks(1, 65536), 128U);
  EXPECT_EQ(blocks(~std::uint64_t{0}, 4096), std::uint64_t{1} << 55);
}

TEST(BtrfsInode, MayHaveTimesBefore1970) {
  const auto inode = inode_with(kMtimeAt, 8, static_cast<std::uint64_t>(-1));
  ASSERT_TRUE(inode);
  EXPECT_EQ(inode->mtime, -1);
}

TEST(BtrfsInode, WithATimeThatDoesNotFitIsRefused) {
  constexpr std::uint64_t kTooFar = std::uint64_t{1} << 62;
  EXPECT_FALSE(inode_with(kMtimeAt, 8, kTooFar));
  EXPECT_FALSE(inode_with(kCtimeAt, 8, kTooFar));
  const auto inode = inode_with(kBtimeAt, 8, kTooFar);
  ASSERT_TRUE(inode);
  EXPECT_EQ(inode->btime, kUnknownTime);
}

TEST(BtrfsInode, WithSenselessFactsIsRefused) {
  EXPECT_FALSE(inode_with(kLinksAt, 4, 0));
  EXPECT_FALSE(inode_with(kModeAt, 4, 0644));
  EXPECT_FALSE(inode_with(kModeAt, 4, 0x10000 | S_IFREG));
}

TEST(BtrfsInode, WithANegativeSizeIsRefused) {
  constexpr auto kLargest = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  EXPECT_TRUE(inode_with(kSizeAt, 8, kLargest));
  EXPECT_FALSE(inode_with(kSizeAt, 8, kLargest + 1));
}

TEST(BtrfsInode, ThatIsTooShortIsRefused) {
  EXPECT_FALSE(parse_inode({}, 4096));
  EXPECT_FALSE(inode_after([](Data& data) { data.resize(159); }));
  EXPECT_TRUE(inode_after([](Data& data) { data.resize(161); }));
}

TEST(BtrfsInode, OfAFilesystemWithoutBlocksIsRefused) {
  EXPECT_FALSE(parse_inode(made_inode_item(), 0));
}

// ---- Names

constexpr std::size_t kLocationType = 8;
constexpr std::size_t kNameBytes = 27;
constexpr std::size_t kTypeOfName = 29;

Data made_name(std::string_view name) {
  Data data(30);
  put(data, 0, 8, 0x123456789);
  data[kLocationType] = std::byte{1};
  put(data, kNameBytes, 2, name.size());
  data[kTypeOfName] = std::byte{1};
  for (const char byte : name) data.push_back(std::byte(byte));
  return data;
}

std::optional<Name> name_after(Data& data, const Edit& edit) {
  data = made_name("abc");
  edit(data);
  return parse_name(data);
}

bool takes_after(const Edit& edit) {
  Data data;
  return name_after(data, edit).has_value();
}

bool takes_name(std::string_view name) {
  const Data data = made_name(name);
  const auto found = parse_name(data);
  return found && found->name == name;
}

TEST(BtrfsName, LeadsToAnInode) {
  const Data data = made_name("abc");
  const auto name = parse_name(data);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "abc");
  EXPECT_EQ(name->inode, 0x123456789U);
  EXPECT_EQ(name->type, DT_REG);
}

TEST(BtrfsName, OfAnotherSubvolumeHasNoInode) {
  constexpr std::byte kRootItem{132};
  Data data;
  const auto name = name_after(data, [&](Data& made) { made[kLocationType] = kRootItem; });
  ASSERT_TRUE(name);
  EXPECT_EQ(name->inode, 0U);
}

TEST(BtrfsName, HasTheTypeOfReaddir) {
  const auto type_of_name = [](unsigned type) {
    Data data;
    return name_after(data, [&](Data& made) { made[kTypeOfName] = std::byte(type); })->type;
  };
  EXPECT_EQ(type_of_name(0), DT_UNKNOWN);
  EXPECT_EQ(type_of_name(2), DT_DIR);
  EXPECT_EQ(type_of_name(3), DT_CHR);
  EXPECT_EQ(type_of_name(4), DT_BLK);
  EXPECT_EQ(type_of_name(5), DT_FIFO);
  EXPECT_EQ(type_of_name(6), DT_SOCK);
  EXPECT_EQ(type_of_name(7), DT_LNK);
  for (const unsigned type : {8U, 9U, 127U}) EXPECT_EQ(type_of_name(type), DT_UNKNOWN);
}

TEST(BtrfsName, ThatIsEncryptedIsRefused) {
  EXPECT_FALSE(takes_after([](Data& data) { data[kTypeOfName] |= std::byte{0x80}; }));
}

TEST(BtrfsName, HasOneTo255Bytes) {
  EXPECT_FALSE(takes_name(""));
  EXPECT_TRUE(takes_name("x"));
  EXPECT_TRUE(takes_name(std::string(255, 'x')));
  EXPECT_FALSE(takes_name(std::string(256, 'x')));
}

TEST(BtrfsName, EndsBeforeTheData) {
  EXPECT_FALSE(takes_after([](Data& data) { put(data, kNameBytes, 2, 4); }));
  EXPECT_FALSE(takes_after([](Data& data) { put(data, kNameBytes, 2, 0xffff); }));
  for (std::size_t length = 0; length < 33; ++length) {
    EXPECT_FALSE(takes_after([length](Data& data) { data.resize(length); })) << length;
  }
  // A value may follow it.
  Data data;
  const auto name = name_after(data, [](Data& made) { made.resize(40); });
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "abc");
}

TEST(BtrfsName, ThatNoFileCanHaveIsRefused) {
  for (const std::string& name : {std::string("a/b"), std::string("/"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(takes_name(name)) << name;
  }
  EXPECT_FALSE(takes_name("."));
  EXPECT_FALSE(takes_name(".."));
  EXPECT_TRUE(takes_name("..."));
}

}  // namespace
}  // namespace fathom::fs::btrfs
