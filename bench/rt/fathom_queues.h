// FathomQueues: the runtime's queues with the interface of contender.h.

#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "rt/suite.h"

namespace fathom::bench {

// SpscRing and MpmcRing, whose interface is the same. Both the try functions and the blocking ones.
template <class Ring>
class FathomRing {
 public:
  explicit FathomRing(std::size_t capacity) : ring_(capacity) {}

  bool try_push(Item item) noexcept { return ring_.try_push(item); }
  bool try_pop(Item& item) noexcept { return give(ring_.try_pop(), item); }
  std::size_t try_push_batch(std::span<Item> items) noexcept { return ring_.try_push_batch(items); }
  std::size_t try_pop_batch(std::span<Item> into) noexcept {
    return ring_.try_pop_batch(into.size(), writer(into));
  }

  void push(Item item) noexcept { ring_.push(item); }
  Item pop() noexcept { return ring_.pop().value_or(0); }
  void push_batch(std::span<Item> items) noexcept { ring_.push_batch(items); }
  std::size_t pop_batch(std::span<Item> into) noexcept {
    return ring_.pop_batch(into.size(), writer(into));
  }

 private:
  static bool give(const std::optional<Item>& from, Item& to) noexcept {
    if (!from) return false;
    to = *from;
    return true;
  }
  static auto writer(std::span<Item> into) noexcept {
    return [next = into.data()](Item&& item) mutable noexcept { *next++ = item; };
  }

  Ring ring_;
};

// TwoLockQueue, which is unbounded and has no batches. Both the try functions and the blocking
// ones.
template <class Queue>
class FathomQueue {
 public:
  explicit FathomQueue(std::size_t /*capacity*/) {}

  void push(Item item) { queue_.push(item); }
  bool try_push(Item item) { return queue_.push(item); }
  Item pop() noexcept { return queue_.pop().value_or(0); }
  bool try_pop(Item& item) noexcept {
    const std::optional<Item> found = queue_.try_pop();
    item = found.value_or(0);
    return found.has_value();
  }

 private:
  Queue queue_;
};

}  // namespace fathom::bench
