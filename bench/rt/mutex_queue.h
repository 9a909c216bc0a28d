// MutexQueue: std::queue under one lock, the coarse-grained queue. Unbounded.
//
// The try functions take the lock and check; the others sleep on a condition variable.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <queue>

#include "rt/suite.h"

namespace fathom::bench {

class MutexQueue {
 public:
  explicit MutexQueue(std::size_t /*capacity*/) {}

  bool try_push(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push(item);
    return true;
  }
  bool try_pop(Item& item) {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return false;
    item = items_.front();
    items_.pop();
    return true;
  }

  void push(Item item) {
    try_push(item);
    filled_.notify_one();
  }
  Item pop() {
    std::unique_lock lock(mutex_);
    // With a time-out, because glibc's condition variable may lose a wake-up (bug 25847).
    while (items_.empty()) filled_.wait_for(lock, std::chrono::milliseconds(100));
    const Item item = items_.front();
    items_.pop();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::queue<Item> items_;
};

}  // namespace fathom::bench
