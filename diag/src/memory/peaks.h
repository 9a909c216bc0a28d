// MemoryPeaks: how much is live altogether, by tag, and how much that was at most.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "memory/count.h"

namespace fathom::diag {

class MemoryPeaks {
 public:
  // Beside the tags: all of them together.
  static constexpr std::size_t kAll = MemoryCount::kTags;
  static constexpr std::size_t kSums = kAll + 1;

  // Any thread's: so much more is live, or less.
  static void add(std::size_t which, std::int64_t bytes) noexcept {
    const std::int64_t live = live_[which].fetch_add(bytes, base::memory_order_relaxed) + bytes;
    if (bytes > 0) raise(which, live);
  }

  // The most that add() has ever come to.
  [[nodiscard]] static std::uint64_t peak(std::size_t which) noexcept {
    return static_cast<std::uint64_t>(peaks_[which].load(base::memory_order_relaxed));
  }

 private:
  static void raise(std::size_t which, std::int64_t live) noexcept {
    std::int64_t peak = peaks_[which].load(base::memory_order_relaxed);
    while (live > peak &&
           !peaks_[which].compare_exchange_weak(peak, live, base::memory_order_relaxed)) {
    }
  }

  static constinit inline std::array<base::atomic<std::int64_t>, kSums> live_{};
  static constinit inline std::array<base::atomic<std::int64_t>, kSums> peaks_{};  // never below 0
};

}  // namespace fathom::diag
