// The inodes of ext4: each test makes a correct one and changes one thing, after which the
// checksum is made right again.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>

#include "ext4_made.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

ParsedInode file_after(const Change& change, const Super& super = kSuper) {
  Made raw = made_inode(S_IFREG | 0644);
  change(raw);
  return parsed(raw, super);
}

TEST(Ext4Inode, HasTheFactsOfStat) {
  const ParsedInode file = file_after([](Made& raw) {
    put32(raw, kSize, 5);
    put32(raw, kSizeHigh, 6);
    put32(raw, kBlocks, 8);
    put16(raw, kUid, 1);
    put16(raw, kGid, 2);
    put16(raw, kLinks, 3);
    put32(raw, kMtime, 10);
    put32(raw, kCtime, 11);
    put32(raw, kBtime, 12);
  });
  ASSERT_EQ(file.found, Found::inode);
  EXPECT_EQ(file.inode.size, (std::uint64_t{6} << 32) + 5);
  EXPECT_EQ(file.inode.blocks, 8U);
  EXPECT_EQ(file.inode.uid, 1U);
  EXPECT_EQ(file.inode.gid, 2U);
  EXPECT_EQ(file.inode.links, 3U);
  EXPECT_EQ(file.inode.mode, S_IFREG | 0644);
  EXPECT_EQ(file.inode.mtime, 10 * kSecond);
  EXPECT_EQ(file.inode.ctime, 11 * kSecond);
  EXPECT_EQ(file.inode.btime, 12 * kSecond);
}

TEST(Ext4Inode, HasUsersAbove65535) {
  const ParsedInode file = file_after([](Made& raw) {
    put16(raw, kUid, 0x1111);
    put16(raw, kUidHigh, 0x2222);
    put16(raw, kGid, 0x3333);
    put16(raw, kGidHigh, 0x4444);
  });
  EXPECT_EQ(file.inode.uid, 0x22221111U);
  EXPECT_EQ(file.inode.gid, 0x44443333U);
}

// The modification time for 32 bits of seconds, two more of them, and nanoseconds.
std::int64_t mtime_of(std::uint32_t seconds, std::uint32_t epoch, std::uint32_t nanoseconds) {
  const ParsedInode file = file_after([&](Made& raw) {
    put32(raw, kMtime, seconds);
    put32(raw, kMtimeExtra, nanoseconds << 2 | epoch);
  });
  EXPECT_EQ(file.found, Found::inode);
  return file.inode.mtime;
}

TEST(Ext4Inode, HasTimesBefore1970) {
  EXPECT_EQ(mtime_of(~0U, 0, 0), -kSecond);
  EXPECT_EQ(mtime_of(~0U, 0, 999'999'999), -1);
  EXPECT_EQ(mtime_of(0x80000000U, 0, 0), -2'147'483'648 * kSecond);
}

TEST(Ext4Inode, HasTimesAfter2038) {
  EXPECT_EQ(mtime_of(0x7fffffffU, 0, 1), 2'147'483'647 * kSecond + 1);
  EXPECT_EQ(mtime_of(0x80000000U, 1, 2), 2'147'483'648 * kSecond + 2);
  EXPECT_EQ(mtime_of(~0U, 1, 0), 4'294'967'295 * kSecond);
  EXPECT_EQ(mtime_of(0, 1, 0), 4'294'967'296 * kSecond);
}

TEST(Ext4Inode, WithATimeThatDoesNotFitIsDoubtful) {
  // In nanoseconds, 64 bits end in the year 2262, and ext4's times in 2446.
  const auto found = [](std::size_t time, std::size_t extra) {
    return file_after([&](Made& raw) {
             put32(raw, time, 0x7fffffff);
             put32(raw, extra, 3);
           })
        .found;
  };
  EXPECT_EQ(found(kMtime, kMtimeExtra), Found::doubtful);
  EXPECT_EQ(found(kCtime, kCtimeExtra), Found::doubtful);
  EXPECT_EQ(found(kBtime, kBtimeExtra), Found::inode);
}

TEST(Ext4Inode, WithoutMoreFieldsHasWholeSecondsAndAnUnknownBirth) {
  Super super = kSuper;
  super.inode_bytes = 128;
  Made raw = made_inode(S_IFREG, 128);
  put32(raw, kMtime, ~0U);
  const ParsedInode small = parsed(raw, super);
  EXPECT_EQ(small.found, Found::inode);
  EXPECT_EQ(small.inode.mtime, -kSecond);
  EXPECT_EQ(small.inode.btime, kUnknownTime);
}

TEST(Ext4Inode, HasTheFieldsThatItsExtraBytesReach) {
  const auto with_extra = [](std::uint32_t bytes) {
    return file_after([bytes](Made& raw) {
      put16(raw, kExtraBytes, bytes);
      put32(raw, kMtimeExtra, 7 << 2);
      put32(raw, kBtime, 1);
      put32(raw, kBtimeExtra, 9 << 2);
    });
  };
  EXPECT_EQ(with_extra(24).inode.btime, kSecond + 9);
  EXPECT_EQ(with_extra(20).inode.btime, kSecond);
  EXPECT_EQ(with_extra(16).inode.btime, kUnknownTime);
  EXPECT_EQ(with_extra(12).inode.mtime, 7);
  EXPECT_EQ(with_extra(8).inode.mtime, 0);
}

TEST(Ext4Inode, WithoutExtraBytesHasAllFieldsThatTheKernelKnows) {
  const ParsedInode file = file_after([](Made& raw) {
    put16(raw, kExtraBytes, 0);
    put32(raw, kMtimeExtra, 7 << 2);
    put32(raw, kBtime, 1);
    put32(raw, kBtimeExtra, 9 << 2);
  });
  EXPECT_EQ(file.found, Found::inode);
  EXPECT_EQ(file.inode.mtime, 7);
  EXPECT_EQ(file.inode.btime, kSecond + 9);
}

TEST(Ext4Inode, WithSenselessExtraBytesIsDoubtful) {
  for (const std::uint32_t bytes : {30U, 132U, 65532U}) {
    EXPECT_EQ(file_after([&](Made& raw) { put16(raw, kExtraBytes, bytes); }).found, Found::doubtful)
        << bytes;
  }
}

TEST(Ext4Inode, OfAHugeFileCountsBlocksOfTheFilesystem) {
  const auto blocks_with = [](std::uint32_t flags, const Super& super) {
    return file_after(
               [flags](Made& raw) {
                 put32(raw, kFlags, flags);
                 put32(raw, kBlocks, 3);
                 put16(raw, kInodeBlocksHigh, 1);
               },
               super)
        .inode.blocks;
  };
  constexpr std::uint64_t kBoth = (std::uint64_t{1} << 32) + 3;
  EXPECT_EQ(blocks_with(0, kSuper), kBoth);
  EXPECT_EQ(blocks_with(kHugeFileFlag, kSuper), kBoth * 8);
  Super without = kSuper;
  without.huge_files = false;
  EXPECT_EQ(blocks_with(kHugeFileFlag, without), 3U);
}

TEST(Ext4Inode, ClaimsBlocksForDataInItself) {
  const auto blocks_of_size = [](std::uint32_t size) {
    return file_after([size](Made& raw) {
             put32(raw, kFlags, kInlineFlag);
             put32(raw, kSize, size);
           })
        .inode.blocks;
  };
  EXPECT_EQ(blocks_of_size(0), 0U);
  EXPECT_EQ(blocks_of_size(1), 1U);
  EXPECT_EQ(blocks_of_size(512), 1U);
  EXPECT_EQ(blocks_of_size(513), 2U);
}

TEST(Ext4Inode, WithoutNamesIsUnused) {
  EXPECT_EQ(file_after([](Made& raw) { put16(raw, kLinks, 0); }).found, Found::unused);
  EXPECT_EQ(parsed_as_it_is(Made(256)).found, Found::unused);
}

TEST(Ext4Inode, WithAnyChangedBitIsNotTakenForSound) {
  Made raw = made_inode(S_IFDIR | 0755);
  sign_inode(kSuper, kNumber, raw);
  ASSERT_EQ(parsed_as_it_is(raw).found, Found::inode);
  for (std::size_t bit = 0; bit < 8 * raw.size(); ++bit) {
    Made changed = raw;
    changed[bit / 8] ^= std::byte{1} << bit % 8;
    const bool has_name = le16(changed, kLinks) != 0;
    EXPECT_EQ(parsed_as_it_is(changed).found, has_name ? Found::doubtful : Found::unused) << bit;
  }
}

TEST(Ext4Inode, AtThePlaceOfAnotherOneIsDoubtful) {
  Made raw = made_inode(S_IFREG | 0644);
  sign_inode(kSuper, kNumber, raw);
  EXPECT_EQ(parsed_as_it_is(raw, kSuper, kNumber + 1).found, Found::doubtful);
  Super other = kSuper;
  other.seed += 1;
  EXPECT_EQ(parsed_as_it_is(raw, other).found, Found::doubtful);
}

TEST(Ext4Inode, OfAnUnknownKindIsDoubtful) {
  for (const std::uint32_t mode : {0U, 0x3000U, 0xe000U, 0xf000U}) {
    EXPECT_EQ(parsed(made_inode(mode | 0644)).found, Found::doubtful) << mode;
  }
  for (const int kind : {S_IFREG, S_IFLNK, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK}) {
    const auto mode = static_cast<std::uint32_t>(kind | 0644);
    EXPECT_EQ(parsed(made_inode(mode)).found, Found::inode) << mode;
  }
}

TEST(Ext4Inode, OfAnEncryptedLinkIsDoubtful) {
  Made raw = made_inode(S_IFLNK | 0777);
  EXPECT_EQ(parsed(raw).found, Found::inode);
  put32(raw, kFlags, kEncryptedFlag);
  EXPECT_EQ(parsed(raw).found, Found::doubtful);
  EXPECT_EQ(file_after([](Made& file) { put32(file, kFlags, kEncryptedFlag); }).found,
            Found::inode);
}

TEST(Ext4Inode, WithANegativeSizeIsDoubtful) {
  const auto with_high_bits = [](std::uint32_t bits) {
    return file_after([bits](Made& raw) { put32(raw, kSizeHigh, bits); }).found;
  };
  EXPECT_EQ(with_high_bits(0x7fffffff), Found::inode);
  EXPECT_EQ(with_high_bits(0x80000000), Found::doubtful);
}

TEST(Ext4Inode, OfADirectoryHasHighBitsOfItsSizeOnlyIfThatMayBeLarge) {
  Made raw = made_inode(S_IFDIR | 0755);
  put32(raw, kSizeHigh, 1);
  EXPECT_EQ(parsed(raw).inode.size, 0U);
  Super large = kSuper;
  large.large_directories = true;
  EXPECT_EQ(parsed(raw, large).inode.size, std::uint64_t{1} << 32);
}

TEST(Ext4Inode, TellsTheSecondsOfItsLastChangeWithoutAChecksum) {
  Made raw = made_inode(S_IFREG | 0644);
  put32(raw, kCtime, ~0U);
  EXPECT_EQ(change_seconds(raw), -1);
  put32(raw, kCtimeExtra, 2);
  EXPECT_EQ(change_seconds(raw), (std::int64_t{2} << 32) - 1);
  put16(raw, kExtraBytes, 4);
  EXPECT_EQ(change_seconds(raw), -1);
  put16(raw, kExtraBytes, 0);
  EXPECT_EQ(change_seconds(raw), (std::int64_t{2} << 32) - 1);
  put16(raw, kExtraBytes, 0xffff);  // nothing behind the inode is read
  EXPECT_EQ(change_seconds(raw), (std::int64_t{2} << 32) - 1);
  raw.resize(128);
  EXPECT_EQ(change_seconds(raw), -1);
}

}  // namespace
}  // namespace fathom::fs::ext4
