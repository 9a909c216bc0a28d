// MpscQueue: an unbounded queue from many threads to one that can be woken, such as a reactor.
//
// Items of one producer come out in the order in which it pushed them, each once; altogether they
// come out in the one order in which the pushes took effect. push() is lock-free, a pop wait-free,
// and neither ever waits for another thread, but for what new and delete do. Nothing fails
// spuriously: try_pop() finds nothing only when at some moment of the call the queue was empty.
// What happened before an item was pushed is visible to who pops it. The consumer is one thread at
// a time; handing its part over needs a happens-before edge.
//
// It neither sleeps nor closes: a consumer that has other things to wait for sleeps in its own way,
// and an item can say that it is the last.
//
// push() tells whether the consumer has to be woken: between a look of the consumer that found
// nothing and its next look exactly the first push returns true. So a consumer that looks until it
// finds nothing before it sleeps, and is woken for each true, misses nothing and is woken at most
// once for each time that it went to sleep.
//
// Each push finds memory for its item, and the consumer gives it back: that is most of what both
// cost. It is for items that own memory anyway, as jobs do.
//
// Producers add to a stack, and the consumer takes all of it at once and turns it round: Treiber's
// stack (IBM RJ 5118, 1986) without a pop of one node, so without its ABA problem; Linux's llist is
// the same. Vyukov's MPSC queue, whose push is one exchange, was not taken: until a push that was
// suspended after its exchange goes on, items behind it cannot be reached, so the consumer would
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
                "moving and destroying an item must not throw: it would be lost halfway");

 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;
  // No thread may use it any more. Items left are destroyed.
  ~MpscQueue() {
    free(ready_);
    free(newest_.load(base::memory_order_relaxed));
  }

  // Any thread. Whether the consumer has to be woken. Throws std::bad_alloc where memory runs out;
  // nothing has changed then but the item.
  bool push(T item) {
    Node* const node = new Node{nullptr, std::move(item)};
    Node* below = newest_.load(base::memory_order_relaxed);
    do {
      node->next = below;
      // [Q1] release: pairs with the acquire in take_all(), for this node. Those below it were
      // released by their own pushes, whose release sequences this one continues.
    } while (!newest_.compare_exchange_strong(below, node, base::memory_order_release,
                                              base::memory_order_relaxed));
    return below == nullptr;  // the node itself may be gone by now
  }

  // The consumer. The oldest item; nothing when the queue is empty.
  std::optional<T> try_pop() noexcept {
    std::optional<T> item;
    if (ready_ == nullptr) take_all();
    if (ready_ == nullptr) return item;
    const std::unique_ptr<Node> node(std::exchange(ready_, ready_->next));
    item.emplace(std::move(node->item));
    return item;
  }

  // The consumer. Calls f(T&&) for each item, the oldest first, until it finds nothing; how many.
  // While others push faster than f works it does not end. Where f throws, the item that it was
  // given is gone, and those behind it stay: no push tells of them again. f may push.
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

  // The consumer. Whether there is nothing. Not a look in the sense of push(): it takes nothing.
  bool empty() const noexcept {
    return ready_ == nullptr && newest_.load(base::memory_order_relaxed) == nullptr;
  }

 private:
  struct Node {
    Node* next;  // below it in the stack, above it once turned round
    T item;
  };

  // Moves all that has been pushed to ready_, which is empty, the oldest first.
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

  // The newest of those that the consumer has not taken yet.
  alignas(base::kCacheLine) base::atomic<Node*> newest_{nullptr};
  // The consumer's alone: what it has taken, the oldest first.
  alignas(base::kCacheLine) Node* ready_ = nullptr;
};

}  // namespace fathom::rt
