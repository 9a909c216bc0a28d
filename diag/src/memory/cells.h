// MemoryCells: what one thread at a time has allocated and freed, by phase and tag, and the part of
// it that is not yet in the peaks.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "fathom/base/atomic.h"
#include "memory/limits.h"

namespace fathom::diag {

// The counters only increase. Written by one thread, read by any.
struct MemoryCell {
  base::atomic<std::uint64_t> allocated_bytes{0};
  base::atomic<std::uint64_t> allocated_blocks{0};
  base::atomic<std::uint64_t> freed_bytes{0};
  base::atomic<std::uint64_t> freed_blocks{0};
};

class MemoryCells {
 public:
  using Phase = std::array<MemoryCell, kMemoryTags>;

  // For the owning thread. Null if memory runs out.
  Phase* phase(std::uint32_t number) noexcept {
    // Written by this thread, or by a previous owner that gave the cells back.
    Phase* const known = phases_[number].load(base::memory_order_relaxed);
    return known != nullptr ? known : make(number);
  }

  // For the owning thread: the change of live bytes that MemoryPeaks does not include yet.
  [[nodiscard]] base::atomic<std::int64_t>& untold(std::size_t sum) noexcept {
    return untold_[sum];
  }

  // For any thread. Null if nothing was counted.
  [[nodiscard]] const Phase* look_at(std::uint32_t number) const noexcept {
    return phases_[number].load(base::memory_order_acquire);  // [M1]
  }

  // ---- The list of all cells, which only grows

  // Returns unused cells; null if memory runs out.
  static MemoryCells* take() noexcept;
  // Lets another thread use the cells.
  void give_back() noexcept { taken_.store(false, base::memory_order_release); }  // [M2]
  // The newest element.
  static MemoryCells* first() noexcept { return first_.load(base::memory_order_acquire); }  // [M3]
  [[nodiscard]] MemoryCells* next() const noexcept { return next_; }
  // The sum over all threads.
  [[nodiscard]] static std::int64_t all_untold(std::size_t sum) noexcept {
    std::int64_t untold = 0;
    for (const MemoryCells* cells = first(); cells != nullptr; cells = cells->next()) {
      untold += cells->untold_[sum].load(base::memory_order_relaxed);
    }
    return untold;
  }

 private:
  Phase* make(std::uint32_t number) noexcept {
    void* const memory = std::malloc(sizeof(Phase));
    if (memory == nullptr) return nullptr;
    Phase* const phase = new (memory) Phase;
    // [M1] release: pairs with the acquire of look_at(), which sees zeros then.
    phases_[number].store(phase, base::memory_order_release);
    return phase;
  }

  static constinit inline base::atomic<MemoryCells*> first_{nullptr};

  std::array<base::atomic<Phase*>, kMemoryPhases> phases_{};
  std::array<base::atomic<std::int64_t>, kMemorySums> untold_{};  // 0 while not owned
  base::atomic<bool> taken_{true};
  MemoryCells* next_ = nullptr;  // constant once it is in the list
};

}  // namespace fathom::diag
