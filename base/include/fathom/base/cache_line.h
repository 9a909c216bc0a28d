// The distance at which two variables stop slowing each other down.
//
// What one thread writes often is aligned to kCacheLine, away from what other threads use:
//
//   alignas(kCacheLine) atomic<std::uint64_t> head_;
//   alignas(kCacheLine) atomic<std::uint64_t> tail_;

#pragma once

#include <cstddef>

namespace fathom::base {

// In bytes. x86-64 has lines of 64 but its prefetcher fetches them in aligned pairs, so neighbours
// still share; Apple's cores have lines of 128.
//
// A fixed number rather than std::hardware_destructive_interference_size: that one is 64 on x86-64
// and may change with -mtune, which would change the layout of types in public headers.
inline constexpr std::size_t kCacheLine = 128;

}  // namespace fathom::base
