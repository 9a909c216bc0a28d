// The columns behind Tree, shared by the files that fill and read them.

#pragma once

#include <array>
#include <string>
#include <vector>

#include "fathom/base/memory_tag.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// kRows entries. One Appender fills it; afterwards it is only read, but for flags, which finish()
// sets.
//
// Not value-initialized: a page of a column that no row reaches is never touched, which keeps small
// scans cheap.
struct Tree::NodeChunk {
  NodeChunk() { make_room(kNameBytes); }

  // For names of so many bytes altogether.
  void make_room(std::size_t bytes) {
    const base::MemoryTag tag("names");
    names.reserve(bytes);
  }

  static constexpr std::size_t kNameBytes = 48 * 1024;  // what kRows names of a source tree need

  std::uint32_t rows = 0;
  std::string names;  // one after the other; row r's end where those of r + 1 begin
  std::array<std::uint32_t, kRows> name_ends;
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
  std::array<std::uint8_t, kRows> flags;

  // Where symbolic links lead: for those that were read only, which are few. By row.
  struct Target {
    std::size_t begin;  // in target_paths
    std::uint32_t length;
    std::uint16_t row;
    LinkEnd end;
  };
  std::vector<Target> targets;
  std::string target_paths;  // one after the other

  [[nodiscard]] std::string_view name(std::uint32_t row) const {
    const std::uint32_t begin = row == 0 ? 0 : name_ends[row - 1];
    return std::string_view(names).substr(begin, name_ends[row] - begin);
  }
};

struct Tree::DirectoryChunk {
  DirectoryChunk() {}  // leaves the columns as they are, as NodeChunk does

  std::uint32_t rows = 0;
  std::array<NodeId, kDirectories> nodes;
  std::array<DirId, kDirectories> parents;
  std::array<std::uint32_t, kDirectories> depths;
};

}  // namespace fathom::fs
