// MemoryBreaks: the exact sum, and the reason as text.

#include "memory/breaks.h"

#include <cinttypes>
#include <cstdio>

#include "memory/cells.h"
#include "memory/tag_names.h"

namespace fathom::diag {

// Called within operator new: does not allocate.
void MemoryBreaks::exceeded(std::size_t sum, std::int64_t told) noexcept {
  // Other threads may have freed much that they have not told yet.
  const std::int64_t live = told + MemoryCells::all_untold(sum);
  const std::optional<std::int64_t> limit = limits_[sum].take(live);
  if (!limit) return;
  std::array<char, 256> text{};
  if (sum == kMemoryOfAllTags) {
    std::snprintf(text.data(), text.size(), "there are %" PRId64 " live bytes, more than %" PRId64,
                  live, *limit);
  } else {
    std::snprintf(text.data(), text.size(),
                  "tag '%.80s' has %" PRId64 " live bytes, more than %" PRId64,
                  MemoryTagNames::name_of(sum), live, *limit);
  }
  BreakLimit::stop(text.data());
}

}  // namespace fathom::diag
