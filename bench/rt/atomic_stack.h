// AtomicStack: the owner's side of a work-stealing deque, without thieves.
//
// With relaxed orders only, it is the minimum cost of storing items as atomics. With one seq_cst
// operation in pop(), in its cheapest form, it is the minimum cost of any deque whose pop() orders
// its claim before its load of the thieves' index, without help from the kernel.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "rt/suite.h"

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
  // Requires that it is not empty.
  Item pop() noexcept {
    if constexpr (fenced) {
      // Has no partner: only its cost matters.
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
