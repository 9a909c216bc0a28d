// MemoryPeaks: the sums of live bytes, by tag and in total, and their maxima.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "memory/breaks.h"
#include "memory/cells.h"
#include "memory/limits.h"

namespace fathom::diag {

class MemoryPeaks {
 public:
  // Any thread: adds a change of live bytes.
  static void add(std::size_t sum, std::int64_t bytes) noexcept {
    const std::int64_t told = told_[sum].fetch_add(bytes, base::memory_order_relaxed) + bytes;
    if (bytes <= 0) return;
    raise(sum, told);
    MemoryBreaks::look(sum, told);
  }

  // The maximum of live bytes when a thread added to the sum.
  [[nodiscard]] static std::uint64_t peak(std::size_t sum) noexcept {
    return static_cast<std::uint64_t>(peaks_[sum].load(base::memory_order_relaxed));
  }

 private:
  using Sums = std::array<base::atomic<std::int64_t>, kMemorySums>;

  static void raise(std::size_t sum, std::int64_t told) noexcept {
    std::int64_t peak = peaks_[sum].load(base::memory_order_relaxed);
    if (told <= peak) return;
    // Include the frees that other threads have not added yet, which may be many small amounts.
    const std::int64_t live = told + MemoryCells::all_untold(sum);
    while (live > peak &&
           !peaks_[sum].compare_exchange_weak(peak, live, base::memory_order_relaxed)) {
    }
  }

  static constinit inline Sums told_{};
  static constinit inline Sums peaks_{};  // never below 0
};

}  // namespace fathom::diag
