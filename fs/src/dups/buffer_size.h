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

// The bytes of each of `files` files for which a buffer has room, in whole pages.
constexpr std::size_t shared_bytes(std::size_t files) {
  return kBufferBytes / files / kPage * kPage;
}

// Whether a class is read in segments of all its files, which share a buffer. Each segment of a
// file costs five system calls; if there are many, hashing the files first takes less, although it
// reads their bytes twice.
constexpr bool fits_segments(std::size_t files, std::uint64_t bytes) {
  constexpr std::size_t kFewSegments = 4;
  constexpr std::size_t kLongSegment = 4 * kPage;
  const std::size_t length = shared_bytes(files);
  return length >= kLongSegment || (length > 0 && bytes <= kFewSegments * length);
}

// The most files that are compared at once, if they were hashed: all of their bytes fit in a
// buffer, or a long segment of each. More would be more segments; with fewer, the file with which
// the others are compared is read more often.
constexpr std::size_t files_per_part(std::uint64_t bytes) {
  constexpr std::size_t kMostPages = 16;
  const std::uint64_t pages = std::clamp<std::uint64_t>((bytes + kPage - 1) / kPage, 1, kMostPages);
  return kBufferBytes / (static_cast<std::size_t>(pages) * kPage);
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
