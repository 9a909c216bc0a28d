// same_bytes: reads both files in blocks and compares them.

#include "os/same_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

#include "fathom/base/retry.h"

namespace fathom::act {

namespace {

constexpr std::size_t kBlock = 64UL * 1024;  // both fit in the second-level cache
using FileBlock = std::array<char, kBlock>;

// Fills the block up to the end of the file; returns the number of bytes, or -errno.
int read_block(int file, FileBlock& block, off_t at) {
  std::size_t have = 0;
  while (have < block.size()) {
    const ssize_t got = base::retry_errno([&] {
      return ::pread(file, block.data() + have, block.size() - have, at + static_cast<off_t>(have));
    });
    if (got < 0) return static_cast<int>(got);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return static_cast<int>(have);
}

}  // namespace

int same_bytes(int a, int b) {
  // Uninitialized: only the bytes that were read are compared.
  const std::unique_ptr<FileBlock> left(new FileBlock);
  const std::unique_ptr<FileBlock> right(new FileBlock);
  for (off_t at = 0;; at += static_cast<off_t>(kBlock)) {
    const int got_left = read_block(a, *left, at);
    const int got_right = read_block(b, *right, at);
    if (got_left < 0) return got_left;
    if (got_right < 0) return got_right;
    if (got_left != got_right) return 0;
    const auto length = static_cast<std::size_t>(got_left);
    if (std::memcmp(left->data(), right->data(), length) != 0) return 0;
    if (length < kBlock) return 1;
  }
}

}  // namespace fathom::act
