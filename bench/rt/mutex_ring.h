// MutexRing: a bounded ring under one lock.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "rt/suite.h"

namespace fathom::bench {

class MutexRing {
 public:
  // A power of two.
  explicit MutexRing(std::size_t capacity) : slots_(capacity) {}

  bool try_push(Item item) { return try_push_batch(std::span<Item>(&item, 1)) == 1; }
  bool try_pop(Item& item) { return try_pop_batch(std::span<Item>(&item, 1)) == 1; }

  std::size_t try_push_batch(std::span<Item> items) {
    const std::lock_guard lock(mutex_);
    const std::size_t room = slots_.size() - static_cast<std::size_t>(tail_ - head_);
    const std::size_t count = std::min(items.size(), room);
    for (std::size_t i = 0; i < count; ++i) slots_[tail_++ & (slots_.size() - 1)] = items[i];
    return count;
  }
  std::size_t try_pop_batch(std::span<Item> into) {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(into.size(), static_cast<std::size_t>(tail_ - head_));
    for (std::size_t i = 0; i < count; ++i) into[i] = slots_[head_++ & (slots_.size() - 1)];
    return count;
  }

 private:
  std::mutex mutex_;
  std::vector<Item> slots_;
  std::uint64_t tail_ = 0;
  std::uint64_t head_ = 0;
};

}  // namespace fathom::bench
