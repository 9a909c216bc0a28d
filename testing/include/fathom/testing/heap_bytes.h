// heap_bytes: the bytes that the program has allocated and not freed, as the C library counts them.
//
//   const auto before = heap_bytes();
//   if (!before) GTEST_SKIP() << kNoHeapBytes;

#pragma once

#include <malloc.h>

#include <cstddef>
#include <optional>

namespace fathom::testing {

inline constexpr const char* kNoHeapBytes =
    "the C library does not say how many bytes are allocated";

// Nothing if the C library does not say; always 0 under the sanitizers.
inline std::optional<std::size_t> heap_bytes() {
#ifdef __GLIBC__
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return std::nullopt;
#endif
}

}  // namespace fathom::testing
