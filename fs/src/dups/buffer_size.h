// The sizes of buffers for comparing files.

#pragma once

#include <cstddef>
#include <cstdint>

namespace fathom::fs {

// Stays in the second-level cache until it is compared, and is large enough to make the cost of
// calls small.
inline constexpr std::size_t kBufferBytes = std::size_t{1} << 19;

// Large files are read in multiples of it.
inline constexpr std::size_t kPage = 4096;

// The most files of a class that share a buffer, with at least one page of each.
inline constexpr std::size_t kMaxFilesPerBuffer = kBufferBytes / kPage;

// Blocks begin at multiples of it, for a fast memcmp().
inline constexpr std::size_t kBlockAlignment = 64;

constexpr std::size_t aligned(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes + kBlockAlignment - 1) / kBlockAlignment *
                                  kBlockAlignment);
}

// Whether that many whole files of that size fit in one buffer.
constexpr bool fits_buffer(std::size_t files, std::uint64_t size) {
  return size <= kBufferBytes && files <= kBufferBytes && files * aligned(size) <= kBufferBytes;
}

}  // namespace fathom::fs
