// The sizes of buffers for comparing files.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fathom::fs {

// Stays in the second-level cache until it is compared, and is large enough to make the cost of
// calls small.
inline constexpr std::size_t kBufferBytes = std::size_t{1} << 19;

// Large files are read in multiples of it.
inline constexpr std::size_t kPage = 4096;

// The least bytes of each file in a buffer that a class shares, unless the files end before: each
// piece of a file costs five system calls. Classes with more files are hashed first, which reads
// them twice. Files that were hashed can have more room, because a class of them is divided: only
// the first of its files is read again for each buffer.
inline constexpr std::size_t kSharedBytes = 4 * kPage;
inline constexpr std::size_t kVerifiedBytes = 16 * kPage;

// The most files that share a buffer: with all of the bytes of each, or at least `enough` of them,
// and at most one file for each page.
constexpr std::size_t files_per_buffer(std::uint64_t bytes, std::size_t enough) {
  if (bytes >= enough) return kBufferBytes / enough;
  const std::size_t pages = std::max<std::size_t>((bytes + kPage - 1) / kPage, 1);
  return kBufferBytes / (pages * kPage);
}

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
