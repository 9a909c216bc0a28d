// OneLockQueue: an unbounded queue under one lock, on which readers sleep as on rt::TwoLockQueue.
//
//   OneLockQueue<LinkedItems>   the list of TwoLockQueue: only the number of locks differs
//   OneLockQueue<QueuedItems>   std::queue
//
// Nodes are allocated before the lock is taken and freed after it is released, as in TwoLockQueue.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/mutex.h"
#include "fathom/rt/light_event_count.h"
#include "rt/suite.h"

namespace fathom::bench {

// A list with a dummy node.
class LinkedItems {
 public:
  struct Node {
    std::optional<Item> item;  // none in the dummy, as in TwoLockQueue
    std::unique_ptr<Node> next;
  };
  using Place = std::unique_ptr<Node>;

  LinkedItems() : head_(std::make_unique<Node>()), last_(head_.get()) {}
  LinkedItems(const LinkedItems&) = delete;
  LinkedItems& operator=(const LinkedItems&) = delete;
  ~LinkedItems() {
    while (head_) head_ = std::move(head_->next);  // a recursion could be deep
  }

  static Place place_for(Item item) {
    auto node = std::make_unique<Node>();
    node->item.emplace(item);
    return node;
  }
  bool empty() const noexcept { return head_->next == nullptr; }
  void add(Place place) noexcept {
    last_->next = std::move(place);
    last_ = last_->next.get();
  }
  // Requires an item. Returns what to free afterwards.
  Place take(Item& item) noexcept {
    Place next = std::move(head_->next);
    item = *next->item;
    next->item.reset();
    return std::exchange(head_, std::move(next));
  }

 private:
  std::unique_ptr<Node> head_;  // the dummy
  Node* last_;
};

class QueuedItems {
 public:
  using Place = Item;

  static Place place_for(Item item) noexcept { return item; }
  bool empty() const noexcept { return items_.empty(); }
  void add(Place place) { items_.push(place); }
  Place take(Item& item) {
    item = items_.front();
    items_.pop();
    return item;
  }

 private:
  std::queue<Item> items_;
};

template <class Items>
class OneLockQueue {
 public:
  explicit OneLockQueue(std::size_t /*capacity*/) {}

  bool push(Item item) {
    typename Items::Place place = Items::place_for(item);
    {
      const std::lock_guard lock(mutex_);
      if (closed_.load(base::memory_order_relaxed)) return false;
      items_.add(std::move(place));
    }
    filled_.notify_one();
    return true;
  }
  bool try_push(Item item) { return push(item); }

  bool try_pop(Item& item) {
    [[maybe_unused]] typename Items::Place old{};  // freed after the lock is released
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return false;
    old = items_.take(item);
    return true;
  }
  Item pop() {
    Item item = 0;
    for (;;) {
      const bool over = closed();
      if (try_pop(item) || over) return item;
      filled_.wait([&] { return !empty() || closed(); });
    }
  }

 private:
  bool closed() const noexcept { return closed_.load(base::memory_order_acquire); }
  bool empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

  alignas(base::kCacheLine) base::Mutex mutex_ = base::named_mutex("queue");
  Items items_;
  base::atomic<bool> closed_{false};  // nothing closes it: TwoLockQueue asks each time
  rt::LightEventCount filled_;
};

}  // namespace fathom::bench
