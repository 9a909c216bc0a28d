// The shape that every queue takes to be measured.
//
// A contender is made for a capacity. Each thread asks it for its end, producer() or consumer(),
// and works with that alone:
//
//   end.push(item);                        // waits for room
//   item = end.pop();                      // waits for an item
//   end.push_batch(items);                 // waits until all are in
//   count = end.pop_batch(into);           // waits for at least one
//   count = end.drain(f);                  // waits for at least one: f(item) for all that it finds
//
// Polled makes that of a queue that has only try_push() and try_pop(), or their batch forms, with
// Backoff; Blocking of one whose own forms wait. What has no try_drain() is drained one by one.
// kKeepsOrder says whether what one producer sent reaches each consumer in that order, by promise.

#pragma once

#include <cstddef>
#include <span>

#include "backoff.h"
#include "suite.h"

namespace fathom::bench {

// Of all that are bounded. Unbounded ones take it as a hint.
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
