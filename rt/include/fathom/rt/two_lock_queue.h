// TwoLockQueue: an unbounded FIFO queue for many producers and consumers, with a lock at each end.
//
// Items come out in the order in which they went in, each exactly once. Pushes and pops never wait
// for each other; pushes wait for pushes, and pops for pops. Nothing fails spuriously: try_pop()
// returns nothing only if the queue was empty at that moment. What happened before a push is
// visible to the thread that pops the item.
//
// close() may be called by any thread. Afterwards pushes fail, and pops return the remaining items,
// then nothing. It is exact: once a pop() has found the queue closed and empty, no push succeeds.
//
// The algorithm is the two-lock queue of Michael and Scott, "Simple, Fast, and Practical
// Non-Blocking and Blocking Concurrent Queue Algorithms" (PODC 1996). Its dummy node keeps the ends
// apart; the one field that both ends use, the link of an empty queue, is atomic here.
//
// In a program that defines FATHOM_MUTEX_HEADER as "fathom/diag/base_mutex.h" (base/mutex.h), in
// all its files, diag::lock_report() shows both locks, as "queue: head" and "queue: tail".
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
#include "fathom/base/mutex.h"
#include "fathom/rt/light_event_count.h"

namespace fathom::rt {

template <class T>
class TwoLockQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "moving and destroying an item must not throw: the item would be lost");

 public:
  // The fence says what sleeping costs whom (light_event_count.h). Throws std::bad_alloc if memory
  // runs out.
  explicit TwoLockQueue(WaitFence fence = WaitFence::by_waiter) : head_(new Node), items_(fence) {
    tail_ = head_;
  }
  TwoLockQueue(const TwoLockQueue&) = delete;
  TwoLockQueue& operator=(const TwoLockQueue&) = delete;
  // No other thread may use the queue. Destroys the remaining items.
  ~TwoLockQueue() {
    while (head_ != nullptr) {
      const std::unique_ptr<Node> node(head_);
      head_ = node->next.load(base::memory_order_relaxed);
    }
  }

  // False if the queue is closed: the item is then lost. Throws std::bad_alloc if memory runs out;
  // the queue is then unchanged, and the item is lost.
  bool push(T item) {
    auto node = std::make_unique<Node>();
    node->item.emplace(std::move(item));
    {
      const std::lock_guard lock(tail_mutex_);
      if (closed_.load(base::memory_order_relaxed)) return false;
      Node* const last = tail_;
      tail_ = node.release();
      // [T1] release: pairs with the acquire in try_pop(), which may not share a lock with this
      // thread.
      last->next.store(tail_, base::memory_order_release);
    }
    items_.notify_one();
    return true;
  }

  // The oldest item; nullopt if the queue is empty.
  std::optional<T> try_pop() noexcept {
    std::optional<T> item;
    std::unique_ptr<Node> old;  // freed after the lock is released
    const std::lock_guard lock(head_mutex_);
    Node* const next = head_->next.load(base::memory_order_acquire);  // [T1]
    if (next == nullptr) return item;
    item.emplace(std::move(*next->item));
    next->item.reset();
    old.reset(head_);
    head_ = next;  // the new dummy
    return item;
  }

  // Waits while the queue is empty. nullopt if it is closed and empty.
  std::optional<T> pop() noexcept {
    for (;;) {
      const bool over = closed();  // read first, so that try_pop() then sees all pushes
      std::optional<T> item = try_pop();
      if (item || over) return item;
      items_.wait([&] { return !empty() || closed(); });
    }
  }

  // Waits at most until the limit. nullopt if the queue is still empty, or closed and empty.
  template <WaitLimit Limit>
  std::optional<T> pop_until(const Limit& limit) noexcept {
    for (;;) {
      const bool over = closed();
      std::optional<T> item = try_pop();
      if (item || over) return item;
      if (!items_.wait_until([&] { return !empty() || closed(); }, limit)) return item;
    }
  }

  // Makes pushes fail from now on and wakes waiting threads. Further calls have no effect.
  void close() noexcept {
    {
      const std::lock_guard lock(tail_mutex_);
      // [T2] release: pairs with the acquire in closed(). Under the lock, so that a thread that
      // sees it also sees each push that succeeded.
      closed_.store(true, base::memory_order_release);
    }
    items_.notify_all();
  }
  bool closed() const noexcept { return closed_.load(base::memory_order_acquire); }  // [T2]

  // Whether the queue is empty at this moment. Waits for pops.
  bool empty() const noexcept {
    const std::lock_guard lock(head_mutex_);
    return head_->next.load(base::memory_order_acquire) == nullptr;  // [T1]
  }

 private:
  struct Node {
    base::atomic<Node*> next{nullptr};
    std::optional<T> item;  // none in the dummy
  };

  // The last node, which may be the dummy. Guarded by tail_mutex_, as is closed_ for writing.
  alignas(base::kCacheLine) base::Mutex tail_mutex_ = base::named_mutex("queue: tail");
  Node* tail_ = nullptr;
  base::atomic<bool> closed_{false};

  // The dummy: the first item is in its successor. Guarded by head_mutex_.
  alignas(base::kCacheLine) mutable base::Mutex head_mutex_ = base::named_mutex("queue: head");
  Node* head_;  // allocated last: nothing after it can fail

  LightEventCount items_;  // pops wait here
};

}  // namespace fathom::rt
