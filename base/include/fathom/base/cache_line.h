// CacheLine: the distance between two variables that prevents false sharing.
//
// Align data that one thread writes often to kCacheLine, to separate it from data of other threads:
//
//   alignas(kCacheLine) atomic<std::uint64_t> head_;
//   alignas(kCacheLine) atomic<std::uint64_t> tail_;

#pragma once

#include <cstddef>

namespace fathom::base {

// In bytes. x86-64 has lines of 64 bytes, but its prefetcher fetches them in aligned pairs, so
// neighbours still share; Apple's cores have lines of 128 bytes.
//
// This is a constant rather than std::hardware_destructive_interference_size, which is 64 on x86-64
// and may change with -mtune: that would change the layout of types in public headers.
inline constexpr std::size_t kCacheLine = 128;

}  // namespace fathom::base
