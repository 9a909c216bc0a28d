// The sizes of the tables in which memory is counted.

#pragma once

#include <cstddef>

#include "fathom/diag/memory.h"

namespace fathom::diag {

// The number of distinct tags; the first is for threads without a tag, the last for all tags that
// come too late.
inline constexpr std::size_t kMemoryTags = 64;
// Sums of live bytes: one per tag, and one of all tags.
inline constexpr std::size_t kMemoryOfAllTags = kMemoryTags;
inline constexpr std::size_t kMemorySums = kMemoryOfAllTags + 1;
inline constexpr std::size_t kMemoryPhases = MemoryMark::kMost + 1;

}  // namespace fathom::diag
