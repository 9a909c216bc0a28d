// The structures of ext4 on a disk, and their checksums.
//
// Each function accepts any bytes: what it does not understand, or what does not have the right
// checksum, is refused. The layout is that of "ext4 Data Structures and Algorithms" in the
// documentation of the kernel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "volume/inode_table.h"

namespace fathom::fs::ext4 {

using Bytes = std::span<const std::byte>;

inline constexpr std::size_t kSuperAt = 1024;  // where the superblock is, and its size
inline constexpr std::size_t kSuperBytes = 1024;

inline constexpr std::uint64_t kRootInode = 2;

// What a reader needs of the superblock.
struct Super {
  std::uint32_t block_bytes = 0;
  std::uint32_t inode_bytes = 0;
  std::uint32_t descriptor_bytes = 0;
  std::uint32_t inodes_per_group = 0;
  std::uint32_t groups = 0;
  std::uint64_t blocks = 0;
  std::uint32_t seed = 0;       // of checksums
  bool needs_recovery = false;  // as long as it is mounted, and after a crash
  bool huge_files = false;
  bool large_directories = false;

  // The first inode of a group.
  [[nodiscard]] std::uint64_t first_inode(std::uint32_t group) const {
    return std::uint64_t{group} * inodes_per_group + 1;
  }
  // Behind the block that contains the superblock. That need not be the first block: with bigalloc,
  // blocks of 1 KiB are counted from 0, too.
  [[nodiscard]] std::uint64_t descriptors_at() const {
    return (kSuperAt / block_bytes + 1) * block_bytes;
  }
};

[[nodiscard]] bool has_magic(Bytes bytes);

// Throws base::Error, whose message says why, if the superblock is not that of an ext4 with
// checksums all of whose features are known.
[[nodiscard]] Super parse_super(Bytes bytes);

// Where the inodes of a group are.
struct Group {
  std::uint64_t table = 0;   // a block
  std::uint32_t inodes = 0;  // those behind them have never been used
};

// Nothing if the descriptor is wrong.
[[nodiscard]] std::optional<Group> parse_group(const Super& super, std::uint32_t group,
                                               Bytes descriptor);

// A part of a file on the disk.
struct Extent {
  std::uint32_t at = 0;  // the block in the file
  std::uint32_t blocks = 0;
  std::uint64_t on_disk = 0;
};

// What a directory's inode says beyond Inode.
struct DirectoryInode {
  std::uint32_t seed = 0;  // of the checksums of its blocks
  std::uint32_t blocks = 0;
  bool indexed = false;
  std::vector<Extent> extents;       // of all blocks, if `nodes` is empty
  std::vector<std::uint64_t> nodes;  // otherwise the blocks that contain the extents
};

enum class Found : std::uint8_t {
  unused,     // no file has this inode
  inode,      // `inode` is set; if it is a directory, the kernel has to be asked for its names
  directory,  // `inode` and `directory` are set
  doubtful,   // wrong, or something that has to be asked of the kernel
};

struct ParsedInode {
  Found found = Found::unused;
  Inode inode;
  DirectoryInode directory;
};

// `raw` has Super::inode_bytes.
void parse_inode(const Super& super, std::uint64_t number, Bytes raw, ParsedInode& to);

// The time of the last change in seconds; without a look at the checksum.
[[nodiscard]] std::int64_t change_seconds(Bytes raw);

// The extents in a block of a tree of extents; false if it is wrong, or of another level than the
// lowest.
[[nodiscard]] bool parse_extent_block(std::uint32_t seed, Bytes block,
                                      std::vector<Extent>& extents);

// Calls function(std::string_view name, std::uint32_t inode, std::uint8_t type) for each name in a
// block of a directory, except "."; false if the block is wrong. The first block has "..".
template <class Function>
[[nodiscard]] bool for_each_name(const DirectoryInode& directory, Bytes block, bool first,
                                 Function&& function);

// ---- The rest of this file are details.

[[nodiscard]] inline std::uint16_t le16(Bytes bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(bytes[at]) |
                                    static_cast<unsigned>(bytes[at + 1]) << 8);
}
[[nodiscard]] inline std::uint32_t le32(Bytes bytes, std::size_t at) {
  return le16(bytes, at) | static_cast<std::uint32_t>(le16(bytes, at + 2)) << 16;
}

// Whether the block has the checksum of a leaf, or of an inner node of a directory's index.
enum class DirectoryBlock : std::uint8_t { wrong, names, index };
[[nodiscard]] DirectoryBlock check_directory_block(std::uint32_t seed, Bytes block, bool index,
                                                   bool first);

template <class Function>
bool for_each_name(const DirectoryInode& directory, Bytes block, bool first, Function&& function) {
  constexpr std::size_t kHeader = 8;
  constexpr std::size_t kTail = 12;
  switch (check_directory_block(directory.seed, block, directory.indexed, first)) {
    case DirectoryBlock::wrong:
      return false;
    case DirectoryBlock::index:
      if (first) function(std::string_view(".."), le32(block, 12), std::uint8_t{2});
      return true;
    case DirectoryBlock::names:
      break;
  }
  const std::size_t end = block.size() - kTail;
  std::size_t names = 0;
  for (std::size_t at = 0; at < end;) {
    if (end - at < kHeader) return false;
    const std::uint32_t inode = le32(block, at);
    const std::size_t length = le16(block, at + 4);
    const std::size_t name_bytes = static_cast<std::size_t>(block[at + 6]);
    const auto type = static_cast<std::uint8_t>(block[at + 7]);
    if (length < kHeader + name_bytes || length % 4 != 0 || length > end - at) return false;
    const std::string_view name(reinterpret_cast<const char*>(block.data()) + at + kHeader,
                                name_bytes);
    at += length;
    if (inode == 0 || name == ".") continue;
    if (name.empty() || (name == "..") != (first && names++ == 0) || name.find('\0') != name.npos ||
        name.find('/') != name.npos)
      return false;
    function(name, inode, type);
  }
  return !first || names > 0;
}

}  // namespace fathom::fs::ext4
