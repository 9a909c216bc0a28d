// MpscQueue: an unbounded queue from many producers to one consumer that can be woken, such as a
// reactor.
//
// Items of one producer come out in the order in which it pushed them, each exactly once; all items
// together come out in the total order in which the pushes took effect. push() is lock-free, a pop
// is wait-free, and neither waits for another thread except within new and delete. Nothing fails
// spuriously: try_pop() returns nothing only if the queue was empty at some moment of the call.
// What happened before a push is visible to the thread that pops the item. The consumer is one
// thread at a time; passing its role to another thread needs a happens-before edge.
//
// The queue neither sleeps nor closes: the consumer sleeps by its own means, because it waits for
// other things too, and an item can mark the end.
//
// push() returns whether the consumer has to be woken: of the pushes between a check that found the
// queue empty and the consumer's next check, exactly the first returns true. So a consumer that
// checks until it finds nothing before it sleeps, and is woken for each true, misses nothing and is
// woken at most once per sleep.
//
// Each push allocates a node and the consumer frees it: that is most of the cost. The queue is
// intended for items that own memory anyway, such as jobs.
//
// Producers add to a stack; the consumer takes the whole stack and reverses it. This is Treiber's
// stack (IBM RJ 5118, 1986) without a pop of single nodes, hence without the ABA problem; Linux's
// llist is the same. Vyukov's MPSC queue, whose push is one exchange, is not used: while a push is
// suspended after its exchange, the items behind it cannot be reached, so the consumer would spin,
// or sleep although pushes have returned and none of them woke it.
// spin, or sleep though pushes returned and none of them woke it.
//
//   MpscQueue<Job> queue;
//   if (queue.push(std::move(job))) reactor.wake();             // any thread
//   queue.drain([](Job&& job) { run(std::move(job)); });        // the reactor, when woken

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"

namespace fathom::rt {

template <class T>
class MpscQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "moving and destroying an item must not throw: the item would be lost");

 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  // No other thread may use the queue. Destroys the remaining items.
  ~MpscQueue() {
    free(ready_);
    free(newest_.load(base::memory_order_relaxed));
  }

  // Any thread. Returns whether the consumer has to be woken. Throws std::bad_alloc if memory runs
  // out; the queue is then unchanged, and the item is lost.
  bool push(T item) {
    Node* const node = new Node{nullptr, std::move(item)};
    Node* below = newest_.load(base::memory_order_relaxed);
    do {
      node->next = below;
      // [Q1] release: pairs with the acquire in take_all(), for this node. The nodes below it were
      // released by their own pushes, whose release sequences this one continues.
    } while (!newest_.compare_exchange_strong(below, node, base::memory_order_release,
                                              base::memory_order_relaxed));
    return below == nullptr;  // the node itself may already be freed
  }

  // Consumer. The oldest item; nullopt if the queue is empty.
  std::optional<T> try_pop() noexcept {
    std::optional<T> item;
    if (ready_ == nullptr) take_all();
    if (ready_ == nullptr) return item;
    const std::unique_ptr<Node> node(std::exchange(ready_, ready_->next));
    item.emplace(std::move(node->item));
    return item;
  }

  // Consumer. Calls f(T&&) for each item, oldest first, until the queue is empty; returns how many.
  // It does not end while others push faster than f works. If f throws, its item is lost and the
  // later ones stay: no push reports them again. f may push.
  template <class F>
  std::size_t drain(F&& f) {
    std::size_t count = 0;
    for (;;) {
      if (ready_ == nullptr) take_all();
      if (ready_ == nullptr) return count;
      const std::unique_ptr<Node> node(std::exchange(ready_, ready_->next));
      ++count;
      f(std::move(node->item));
    }
  }

  // Consumer. Whether the queue is empty. Not a check in the sense of push(): it takes nothing.
  bool empty() const noexcept {
    return ready_ == nullptr && newest_.load(base::memory_order_relaxed) == nullptr;
  }

 private:
  struct Node {
    Node* next;  // the next older node; after reversal, the next newer one
    T item;
  };

  // Moves all pushed items to ready_, oldest first. Requires ready_ to be empty.
  void take_all() noexcept {
    if (newest_.load(base::memory_order_relaxed) == nullptr) return;     // spares the exchange
    Node* node = newest_.exchange(nullptr, base::memory_order_acquire);  // [Q1]
    while (node != nullptr) {
      Node* const below = std::exchange(node->next, ready_);
      ready_ = node;
      node = below;
    }
  }

  static void free(Node* node) noexcept {
    while (node != nullptr) delete std::exchange(node, node->next);
  }

  // The newest of the items that the consumer has not taken yet.
  alignas(base::kCacheLine) base::atomic<Node*> newest_{nullptr};
  // Consumer only: the items that it has taken, oldest first.
  alignas(base::kCacheLine) Node* ready_ = nullptr;
};

}  // namespace fathom::rt
