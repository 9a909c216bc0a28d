// TwoLockQueue: an unbounded queue from many threads to many, with a lock at either end.
//
// First in, first out, each item once. A push and a pop never wait for each other, pushes wait for
// pushes and pops for pops. Nothing fails spuriously: try_pop() finds nothing only when at that
// moment the queue was empty. What happened before an item was pushed is visible to who pops it.
//
// close() may be called by any thread. Afterwards pushes fail, and pops get what is left, then
// nothing. It is exact: once a pop() found the queue closed and empty, no push succeeds any more.
//
// The algorithm is the two-lock queue of Michael and Scott, "Simple, Fast, and Practical
// Non-Blocking and Blocking Concurrent Queue Algorithms" (PODC 1996). Their dummy node is what
// keeps the ends apart; the one field that both ends use, an empty queue's link, is atomic here.
//
//   TwoLockQueue<Job> queue;
//   queue.push(std::move(job));                       // any thread
//   while (auto job = queue.pop()) run(*job);         // any thread, until queue.close()
//   auto job = queue.pop_until(base::monotonic_now() + 5ms);  // or with a deadline

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/light_event_count.h"

namespace fathom::rt {

template <class T>
class TwoLockQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "moving and destroying an item must not throw: it would be lost halfway");

 public:
  // Throws std::bad_alloc where memory runs out.
  TwoLockQueue() : head_(new Node), tail_(head_) {}
  TwoLockQueue(const TwoLockQueue&) = delete;
  TwoLockQueue& operator=(const TwoLockQueue&) = delete;
  // No thread may use it any more. Items left are destroyed.
  ~TwoLockQueue() {
    while (head_ != nullptr) {
      const std::unique_ptr<Node> node(head_);
      head_ = node->next.load(base::memory_order_relaxed);
    }
  }

  // False when closed: the item is gone then. Throws std::bad_alloc where memory runs out; nothing
  // has changed then but the item.
  bool push(T item) {
    auto node = std::make_unique<Node>();
    node->item.emplace(std::move(item));
    {
      const std::lock_guard lock(tail_mutex_);
      if (closed_.load(base::memory_order_relaxed)) return false;
      Node* const last = tail_;
      tail_ = node.release();
      // [T1] release: pairs with the acquire in try_pop(), which may hold no lock in common.
      last->next.store(tail_, base::memory_order_release);
    }
    items_.notify_one();
    return true;
  }

  // The oldest item; nothing when the queue is empty.
  std::optional<T> try_pop() noexcept {
    std::optional<T> item;
    std::unique_ptr<Node> old;  // freed after the lock
    const std::lock_guard lock(head_mutex_);
    Node* const next = head_->next.load(base::memory_order_acquire);  // [T1]
    if (next == nullptr) return item;
    item.emplace(std::move(*next->item));
    next->item.reset();
    old.reset(head_);
    head_ = next;  // the new dummy
    return item;
  }

  // Waits while the queue is empty. Nothing when it is closed and empty.
  std::optional<T> pop() noexcept {
    for (;;) {
      const bool over = closed();  // before the look, which then sees all that was ever pushed
      std::optional<T> item = try_pop();
      if (item || over) return item;
      items_.wait([&] { return !empty() || closed(); });
    }
  }

  // Waits until the deadline at most. Nothing when the queue is empty then, or closed and empty.
  std::optional<T> pop_until(LightEventCount::Deadline deadline) noexcept {
    for (;;) {
      const bool over = closed();
      std::optional<T> item = try_pop();
      if (item || over) return item;
      if (!items_.wait_until([&] { return !empty() || closed(); }, deadline)) return item;
    }
  }

  // Ends the pushing and wakes who waits. Once is enough; more do no harm.
  void close() noexcept {
    {
      const std::lock_guard lock(tail_mutex_);
      // [T2] release: pairs with the acquire in closed(). Under the lock, so that whoever sees it
      // sees each push that succeeded.
      closed_.store(true, base::memory_order_release);
    }
    items_.notify_all();
  }
  bool closed() const noexcept { return closed_.load(base::memory_order_acquire); }  // [T2]

  // Whether there was nothing at this moment. Waits for pops.
  bool empty() const noexcept {
    const std::lock_guard lock(head_mutex_);
    return head_->next.load(base::memory_order_acquire) == nullptr;  // [T1]
  }

 private:
  struct Node {
    base::atomic<Node*> next{nullptr};
    std::optional<T> item;  // none in the dummy
  };

  // The dummy: the first item is in its successor. Guarded by head_mutex_.
  alignas(base::kCacheLine) mutable std::mutex head_mutex_;
  Node* head_;

  // The last node, which may be the dummy. Guarded by tail_mutex_, as is closed_ for writing.
  alignas(base::kCacheLine) std::mutex tail_mutex_;
  Node* tail_;
  base::atomic<bool> closed_{false};

  LightEventCount items_;  // pops wait here
};

}  // namespace fathom::rt
