// What is read at a time, to be compared.

#pragma once

#include <cstddef>
#include <cstdint>

namespace fathom::fs {

// It stays in the second-level cache until it is compared, and the calls around it cost little.
inline constexpr std::size_t kBufferBytes = std::size_t{1} << 19;

// Blocks begin at multiples of it, as memcmp() likes it.
inline constexpr std::size_t kBlockAlignment = 64;

constexpr std::size_t aligned(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes + kBlockAlignment - 1) / kBlockAlignment *
                                  kBlockAlignment);
}

// Whether that many files of that size can be read at once, whole.
constexpr bool fits_buffer(std::size_t files, std::uint64_t size) {
  return size <= kBufferBytes && files <= kBufferBytes && files * aligned(size) <= kBufferBytes;
}

}  // namespace fathom::fs
