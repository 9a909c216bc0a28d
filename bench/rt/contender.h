// Contender: the interface of every queue that is measured.
//
// A contender is constructed for a capacity. Each thread gets one end, producer() or consumer(),
// and uses only that:
//
//   end.push(item);                        // waits for room
//   item = end.pop();                      // waits for an item
//   end.push_batch(items);                 // waits until all are pushed
//   count = end.pop_batch(into);           // waits for at least one
//   count = end.drain(f);                  // waits for at least one; f(item) for all items found
//
// Polled builds this interface from try_push() and try_pop(), or their batch forms, with Backoff;
// Blocking builds it from blocking functions. Without try_drain(), items are drained one by one.
// kKeepsOrder says whether the queue promises that items of one producer reach each consumer in
// order.

#pragma once

#include <cstddef>
#include <span>

#include "rt/backoff.h"
#include "rt/suite.h"

namespace fathom::bench {

// The capacity of all bounded queues. Unbounded ones take it as a hint.
inline constexpr std::size_t kCapacity = 4096;

template <class Queue, bool keeps_order = true>
class Polled {
 public:
  static constexpr bool kKeepsOrder = keeps_order;

  class End {
   public:
    explicit End(Queue& queue) : queue_(queue) {}

    void push(Item item) {
      Backoff backoff;
      while (!queue_.try_push(item)) backoff.miss();
    }
    Item pop() {
      Item item = 0;
      Backoff backoff;
      while (!queue_.try_pop(item)) backoff.miss();
      return item;
    }
    void push_batch(std::span<Item> items) {
      Backoff backoff;
      while (!items.empty()) {
        const std::size_t count = queue_.try_push_batch(items);
        if (count == 0) {
          backoff.miss();
        } else {
          items = items.subspan(count);
        }
      }
    }
    std::size_t pop_batch(std::span<Item> into) {
      Backoff backoff;
      for (;;) {
        const std::size_t count = queue_.try_pop_batch(into);
        if (count > 0) return count;
        backoff.miss();
      }
    }
    template <class F>
    std::size_t drain(const F& f) {
      if constexpr (requires { queue_.try_drain(f); }) {
        Backoff backoff;
        for (;;) {
          const std::size_t count = queue_.try_drain(f);
          if (count > 0) return count;
          backoff.miss();
        }
      } else {
        f(pop());
        return 1;
      }
    }

   private:
    Queue& queue_;
  };

  explicit Polled(std::size_t capacity) : queue_(capacity) {}

  End producer() { return End(queue_); }
  End consumer() { return End(queue_); }

 private:
  Queue queue_;
};

template <class Queue>
class Blocking {
 public:
  static constexpr bool kKeepsOrder = true;

  class End {
   public:
    explicit End(Queue& queue) : queue_(queue) {}

    void push(Item item) { queue_.push(item); }
    Item pop() { return queue_.pop(); }
    void push_batch(std::span<Item> items) { queue_.push_batch(items); }
    std::size_t pop_batch(std::span<Item> into) { return queue_.pop_batch(into); }
    template <class F>
    std::size_t drain(const F& f) {
      return queue_.drain(f);
    }

   private:
    Queue& queue_;
  };

  explicit Blocking(std::size_t capacity) : queue_(capacity) {}

  End producer() { return End(queue_); }
  End consumer() { return End(queue_); }

 private:
  Queue queue_;
};

}  // namespace fathom::bench
