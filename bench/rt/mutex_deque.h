// MutexDeque: std::deque under one lock, with the work-stealing deque's interface.

#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "rt/suite.h"

namespace fathom::bench {

class MutexDeque {
 public:
  void push(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
  }
  std::optional<Item> pop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const Item item = items_.back();
    items_.pop_back();
    return item;
  }
  std::optional<Item> steal() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const Item item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::deque<Item> items_;
};

}  // namespace fathom::bench
