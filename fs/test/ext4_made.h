// Inodes of ext4 for tests, made by hand: correct ones, to change one thing in them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ext4_structures.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {

using Made = std::vector<std::byte>;
using Change = std::function<void(Made&)>;

inline constexpr Super kSuper{.block_bytes = 4096,
                              .inode_bytes = 256,
                              .descriptor_bytes = 64,
                              .inodes_per_group = 8192,
                              .groups = 2,
                              .blocks = 40000,
                              .seed = 0x5eed,
                              .huge_files = true,
                              .large_directories = false};

inline constexpr std::uint64_t kNumber = 12;  // of each inode that is made

// Where the fields of an inode are.
inline constexpr std::size_t kMode = 0x0;
inline constexpr std::size_t kUid = 0x2;
inline constexpr std::size_t kSize = 0x4;
inline constexpr std::size_t kCtime = 0xc;
inline constexpr std::size_t kMtime = 0x10;
inline constexpr std::size_t kGid = 0x18;
inline constexpr std::size_t kLinks = 0x1a;
inline constexpr std::size_t kBlocks = 0x1c;
inline constexpr std::size_t kFlags = 0x20;
inline constexpr std::size_t kContent = 0x28;
inline constexpr std::size_t kGeneration = 0x64;
inline constexpr std::size_t kSizeHigh = 0x6c;
inline constexpr std::size_t kInodeBlocksHigh = 0x74;
inline constexpr std::size_t kUidHigh = 0x78;
inline constexpr std::size_t kGidHigh = 0x7a;
inline constexpr std::size_t kExtraBytes = 0x80;
inline constexpr std::size_t kCtimeExtra = 0x84;
inline constexpr std::size_t kMtimeExtra = 0x88;
inline constexpr std::size_t kBtime = 0x90;
inline constexpr std::size_t kBtimeExtra = 0x94;

// Flags of inodes.
inline constexpr std::uint32_t kEncryptedFlag = 0x800;
inline constexpr std::uint32_t kIndexedFlag = 0x1000;
inline constexpr std::uint32_t kHugeFileFlag = 0x40000;
inline constexpr std::uint32_t kExtentsFlag = 0x80000;
inline constexpr std::uint32_t kInlineFlag = 0x10000000;

inline Made made_inode(std::uint32_t mode, std::size_t bytes = 256) {
  Made raw(bytes);
  put16(raw, kMode, mode);
  put16(raw, kLinks, 1);
  if (bytes > 128) put16(raw, kExtraBytes, 32);
  return raw;
}

inline ParsedInode parsed_as_it_is(const Made& raw, const Super& super = kSuper,
                                   std::uint64_t number = kNumber) {
  ParsedInode parsed;
  parse_inode(super, number, raw, parsed);
  return parsed;
}

// The same after the checksum was made right.
inline ParsedInode parsed(Made raw, const Super& super = kSuper) {
  sign_inode(super, kNumber, raw);
  return parsed_as_it_is(raw, super);
}

}  // namespace fathom::fs::ext4
