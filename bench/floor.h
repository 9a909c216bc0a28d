// The floor: the least work that any scanner of a filesystem must do.
//
// Each directory is opened relative to its parent and listed by getdents64 into 64 KiB; each entry
// is looked at once, by fstat where it is open anyway and by fstatat where not. Nothing is kept but
// sums. What a scanner takes beyond that is its own doing.
//
//   const FloorSums sums = scan_floor("/srv", 2);

#pragma once

#include <cstdint>
#include <string>

namespace fathom::bench {

// Of all names, the root included. An inode with two names counts twice, unlike in du.
struct FloorSums {
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t apparent_bytes = 0;
  std::uint64_t unreadable = 0;  // directories not listed and names not looked at
};

// Scans the directory with so many threads, at least 1, the caller's included. Follows no links,
// enters other filesystems. Directories with subdirectories yet to be opened stay open, on most
// trees a few dozen; where too many are, some count as unreadable. Throws base::SystemError when
// the root cannot be opened.
[[nodiscard]] FloorSums scan_floor(const std::string& root, unsigned threads);

}  // namespace fathom::bench
