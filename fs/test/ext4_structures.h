// The structures of ext4, made by hand: fields are little-endian, and each sign_...() writes the
// checksum that the rest of a structure needs. They accept any content, so that a fuzz target can
// pass its input.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "volume/crc32c.h"
#include "volume/ext4_format.h"

namespace fathom::fs::ext4 {

using Room = std::span<std::byte>;

inline void put16(Room to, std::size_t at, std::uint32_t value) {
  to[at] = std::byte(value);
  to[at + 1] = std::byte(value >> 8);
}
inline void put32(Room to, std::size_t at, std::uint32_t value) {
  put16(to, at, value);
  put16(to, at + 2, value >> 16);
}

// The seed of the checksums of an inode and of its blocks.
inline std::uint32_t seed_of_inode(const Super& super, std::uint64_t number, Bytes raw) {
  std::array<std::byte, 8> key;
  put32(key, 0, static_cast<std::uint32_t>(number));
  put32(key, 4, le32(raw, 0x64));
  return crc32c(super.seed, key);
}

inline void sign_super(Room super) {
  put32(super, 0x3fc, crc32c(~0U, super.first(0x3fc)));
}

inline void sign_group(const Super& super, std::uint32_t group, Room descriptor) {
  std::array<std::byte, 4> key;
  put32(key, 0, group);
  put16(descriptor, 0x1e, 0);
  put16(descriptor, 0x1e, crc32c(crc32c(super.seed, key), descriptor));
}

inline void sign_inode(const Super& super, std::uint64_t number, Room raw) {
  const bool is_wide = raw.size() > 128 && le16(raw, 0x80) >= 4;
  put16(raw, 0x7c, 0);
  if (is_wide) put16(raw, 0x82, 0);
  const std::uint32_t crc = crc32c(seed_of_inode(super, number, raw), raw);
  put16(raw, 0x7c, crc);
  if (is_wide) put16(raw, 0x82, crc >> 16);
}

// A block of extents. Without room for a checksum, nothing is written.
inline void sign_extents(std::uint32_t seed, Room block) {
  const std::size_t end = 12 + std::size_t{12} * le16(block, 4);
  if (end + 4 <= block.size()) put32(block, end, crc32c(seed, block.first(end)));
}

// A block of a directory: its last 12 bytes become the entry with the checksum.
inline void sign_leaf(std::uint32_t seed, Room block) {
  const std::size_t tail = block.size() - 12;
  put32(block, tail, 0);
  put32(block, tail + 4, 0xde00000c);
  put32(block, tail + 8, crc32c(seed, block.first(tail)));
}

// A block of the index of a directory. Without room for a checksum, nothing is written.
inline void sign_index(std::uint32_t seed, Room block, bool first) {
  const std::size_t counts = first ? 32 : 8;
  const std::size_t tail = counts + std::size_t{8} * le16(block, counts);
  const std::size_t end = counts + std::size_t{8} * le16(block, counts + 2);
  if (end > tail || tail + 8 > block.size()) return;
  put32(block, tail + 4, 0);
  put32(block, tail + 4, crc32c(crc32c(seed, block.first(end)), block.subspan(tail, 8)));
}

}  // namespace fathom::fs::ext4
