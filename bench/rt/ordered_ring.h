// OrderedRing: Lamport's ring between two threads, with the memory orders as parameters.
//
// SpscRing without the copies of the other side's index: with seq_cst, the default of C++, and with
// acquire and release, as in the article on memory orders.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "rt/suite.h"

namespace fathom::bench {

template <base::memory_order load_order, base::memory_order store_order>
class OrderedRing {
 public:
  // A power of two.
  explicit OrderedRing(std::size_t capacity) : slots_(capacity) {}

  bool try_push(Item item) noexcept {
    const std::uint64_t tail = tail_.load(own_order());
    if (tail - head_.load(load_order) == slots_.size()) return false;  // [B4]
    slots_[tail & (slots_.size() - 1)] = item;
    tail_.store(tail + 1, store_order);  // [B3] pairs with the load in try_pop()
    return true;
  }
  bool try_pop(Item& item) noexcept {
    const std::uint64_t head = head_.load(own_order());
    if (head == tail_.load(load_order)) return false;  // [B3]
    item = slots_[head & (slots_.size() - 1)];
    head_.store(head + 1, store_order);  // [B4] pairs with the load in try_push()
    return true;
  }

 private:
  // The order of loads of the index that only this side writes; also seq_cst if the orders are
  // defaults.
  static constexpr base::memory_order own_order() {
    return load_order == base::memory_order_seq_cst ? base::memory_order_seq_cst
                                                    : base::memory_order_relaxed;
  }

  alignas(base::kCacheLine) std::vector<Item> slots_;
  alignas(base::kCacheLine) base::atomic<std::uint64_t> tail_{0};  // written by the producer
  alignas(base::kCacheLine) base::atomic<std::uint64_t> head_{0};  // written by the consumer
};

using SeqCstRing = OrderedRing<base::memory_order_seq_cst, base::memory_order_seq_cst>;
using AcquireReleaseRing = OrderedRing<base::memory_order_acquire, base::memory_order_release>;

}  // namespace fathom::bench
