// MemoryCells: a lock-free list of cells that threads take and give back.

#include "memory/cells.h"

namespace fathom::diag {

MemoryCells* MemoryCells::take() noexcept {
  for (MemoryCells* cells = first(); cells != nullptr; cells = cells->next()) {
    bool taken = false;
    // [M2] acquire: pairs with the release of give_back(): the previous owner's counts are visible.
    if (!cells->taken_.load(base::memory_order_relaxed) &&
        cells->taken_.compare_exchange_strong(taken, true, base::memory_order_acquire,
                                              base::memory_order_relaxed)) {
      return cells;
    }
  }
  void* const memory = std::malloc(sizeof(MemoryCells));
  if (memory == nullptr) return nullptr;
  MemoryCells* const cells = new (memory) MemoryCells;
  cells->next_ = first_.load(base::memory_order_relaxed);
  // [M3] release: pairs with the acquire of first(). Each push also releases the earlier pushes,
  // because they are read-modify-writes of one atomic.
  while (!first_.compare_exchange_weak(cells->next_, cells, base::memory_order_release,
                                       base::memory_order_relaxed)) {
  }
  return cells;
}

}  // namespace fathom::diag
