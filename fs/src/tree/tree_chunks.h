// The columns of Tree, shared by the files that fill and read them.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// kRows entries. One Appender fills it, row by row, while other threads may read the earlier rows:
// once a row is counted, nothing in it moves or changes.
//
// The columns are not value-initialized: pages that no row reaches are never touched, which keeps
// small scans cheap.
struct Tree::NodeChunk {
  NodeChunk(unsigned block_bits, bool keeps_times)
      : name_bits(block_bits), times(keeps_times ? new Times[kRows] : nullptr) {}

  // Names are stored one after the other in blocks; no name spans two. A block holds 2^name_bits -
  // 1 bytes, so that the end of a name also identifies its block.
  static constexpr unsigned kNameBits = 14;
  static constexpr std::uint32_t kNameBlocks = 64;
  static constexpr unsigned kMostNameBits = 26;  // ends have 32 bits

  base::atomic<std::uint32_t> rows{0};  // [A1] the written rows
  const unsigned name_bits;
  std::array<std::unique_ptr<char[]>, kNameBlocks> names;
  std::array<std::uint32_t, kRows> name_ends;  // block << name_bits | end in the block
  std::array<DirId, kRows> parents;
  std::array<std::uint64_t, kRows> sizes;
  std::array<std::uint64_t, kRows> blocks;
  std::array<std::uint64_t, kRows> inodes;
  std::array<std::uint64_t, kRows> devices;
  std::array<std::int64_t, kRows> mtimes;
  std::array<std::uint32_t, kRows> uids;
  std::array<std::uint32_t, kRows> gids;
  std::array<std::uint32_t, kRows> links;
  std::array<std::uint16_t, kRows> modes;
  const std::unique_ptr<Times[]> times;  // kRows; null if the tree does not keep them

  // Targets of symbolic links, by row: only of links that were read, which are few. These vectors
  // reallocate, so only trees of finished scans may read them.
  struct Target {
    std::size_t begin;  // in target_paths
    std::uint32_t length;
    std::uint16_t row;
    LinkEnd end;
  };
  std::vector<Target> targets;
  std::string target_paths;  // one after the other

  [[nodiscard]] std::string_view name(std::uint32_t row) const {
    const std::uint32_t end = name_ends[row];
    const std::uint32_t block = end >> name_bits;
    const std::uint32_t block_begin = block << name_bits;
    const std::uint32_t begin = row == 0 ? 0 : std::max(name_ends[row - 1], block_begin);
    return {names[block].get() + (begin - block_begin), end - begin};
  }
};

// kDirectories directories, filled like a NodeChunk.
struct Tree::DirectoryChunk {
  DirectoryChunk() {}  // leaves the columns uninitialized, like NodeChunk

  base::atomic<std::uint32_t> rows{0};  // [A1] the written rows
  std::array<NodeId, kDirectories> nodes;
  std::array<DirId, kDirectories> parents;
  std::array<std::uint32_t, kDirectories> depths;
  std::array<base::atomic<std::uint8_t>, kDirectories>
      marks;  // NodeFlags; any Appender may add some
};

}  // namespace fathom::fs
