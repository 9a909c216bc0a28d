// Floor: the least work that any filesystem scanner must do.
//
// Each directory is opened relative to its parent and listed with getdents64 into 64 KiB; each
// entry is examined once, with fstat if it is open anyway and with fstatat otherwise. Only sums are
// kept. Whatever a scanner takes beyond that is its own cost.
//
//   const FloorSums sums = scan_floor("/srv", 2);

#pragma once

#include <cstdint>
#include <string>

namespace fathom::bench {

// Sums over all names, including the root. An inode with two names counts twice, unlike in du.
struct FloorSums {
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t apparent_bytes = 0;
  std::uint64_t unreadable = 0;  // directories and names that could not be read
};

// Scans the directory with so many threads, at least 1, including the caller. Follows no links,
// enters other filesystems. A directory stays open while subdirectories of it are still to be
// opened, on most trees a few dozen; if too many are open, some count as unreadable. Throws
// base::SystemError if the root cannot be opened.
[[nodiscard]] FloorSums scan_floor(const std::string& root, unsigned threads);

}  // namespace fathom::bench
