// A kernel that refuses or delays reads: those of find_duplicates() go through here (the linker's
// linker's
// --wrap=pread).
//
//   const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t length) {
//     return inode == bad ? EIO : 0;
//   });

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fathom::fs {

// In effect while it lives; one at a time, set while nothing runs.
class FaultyReads {
 public:
  // Called before each read, by many threads: an errno, or 0 to let it pass.
  using Hook = std::function<int(std::uint64_t inode, std::uint64_t offset, std::size_t length)>;

  // Reads give so many bytes at most, where that is not 0, and each is interrupted once before.
  explicit FaultyReads(Hook hook, std::size_t most = 0);
  ~FaultyReads();
  FaultyReads(const FaultyReads&) = delete;
  FaultyReads& operator=(const FaultyReads&) = delete;
};

}  // namespace fathom::fs
