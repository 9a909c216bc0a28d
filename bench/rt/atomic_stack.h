// AtomicStack: the owner's side of a work-stealing deque, with nobody to steal.
//
// With relaxed orders alone it is the least that storing items as atomics costs. With one seq_cst
// operation in pop(), in its cheapest form, it is the least that any deque costs whose pop() orders
// its claim before its look at the thieves' index, without help from the kernel.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "suite.h"

namespace fathom::bench {

template <bool fenced>
class AtomicStack {
 public:
  static constexpr std::size_t kCapacity = 4096;

  // At most kCapacity.
  void push(Item item) noexcept {
    const std::uint64_t size = size_.load(base::memory_order_relaxed);
    slots_[size % kCapacity].store(item, base::memory_order_relaxed);
    size_.store(size + 1, base::memory_order_relaxed);
  }
  // Not from an empty one.
  Item pop() noexcept {
    if constexpr (fenced) {
      // Without a partner: only its price is wanted.
      const std::uint64_t size = size_.fetch_sub(1, base::memory_order_seq_cst) - 1;
      return slots_[size % kCapacity].load(base::memory_order_relaxed);
    } else {
      const std::uint64_t size = size_.load(base::memory_order_relaxed) - 1;
      size_.store(size, base::memory_order_relaxed);
      return slots_[size % kCapacity].load(base::memory_order_relaxed);
    }
  }

 private:
  base::atomic<std::uint64_t> size_{0};
  std::array<base::atomic<Item>, kCapacity> slots_{};
};

using PlainStack = AtomicStack<false>;
using FenceFloor = AtomicStack<true>;

}  // namespace fathom::bench
