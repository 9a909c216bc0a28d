// A kernel that fails or delays reads: intercepts those of find_duplicates() with the linker's
// --wrap=pread.
//
//   const FaultyReads faults([&](std::uint64_t inode, std::uint64_t offset, std::size_t length) {
//     return inode == bad ? EIO : 0;
//   });

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fathom::fs {

// Active during its lifetime; one object at a time, set while nothing runs.
class FaultyReads {
 public:
  // Called before each read, by many threads; returns an errno, or 0 to let it pass.
  using Hook = std::function<int(std::uint64_t inode, std::uint64_t offset, std::size_t length)>;

  // If `most` is not 0, each read returns at most that many bytes and is interrupted once before.
  explicit FaultyReads(Hook hook, std::size_t most = 0);
  ~FaultyReads();
  FaultyReads(const FaultyReads&) = delete;
  FaultyReads& operator=(const FaultyReads&) = delete;
};

}  // namespace fathom::fs
