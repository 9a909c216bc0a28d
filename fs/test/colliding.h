// Contents that anyone can make, all of which have the same XXH3 hash without a seed.

#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "dups/same_content.h"

namespace fathom::fs {

constexpr std::size_t kCollidingBytes = 4096;

// A half of each of two numbers cancels that of the secret: they are multiplied by 0, whatever
// their other halves are, and the sum of these is the same for each content.
inline std::string colliding_content(std::uint32_t number) {
  std::string bytes(kCollidingBytes, '\0');
  constexpr std::size_t kStripe = 64;
  const auto put = [&](std::size_t at, std::uint32_t half) {  // the lowest byte first
    for (std::size_t i = 0; i < sizeof half; ++i) bytes[at + i] = static_cast<char>(half >> 8 * i);
  };
  std::memcpy(&bytes[0], &XXH3_kSecret[0], 4);
  put(4, number);
  std::memcpy(&bytes[kStripe], &XXH3_kSecret[8], 4);
  put(kStripe + 4, 0U - number);
  return bytes;
}

// Whether content_hash() has few bits, as in test_duplicates_narrow.
inline bool hash_is_narrow() {
  return content_hash(std::as_bytes(std::span("a long hash"))) < 4;
}

}  // namespace fathom::fs
