// Cameron Desrochers' ConcurrentQueue. It is unbounded, and does not order items of different
// producers.

#include <concurrentqueue/blockingconcurrentqueue.h>
#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <cstddef>
#include <span>

#include "rt/backoff.h"
#include "rt/handle.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

using Queue = moodycamel::ConcurrentQueue<Item>;

// Without tokens it looks up the thread's part of the queue at each call.
class Tokenless {
 public:
  explicit Tokenless(std::size_t capacity) : queue_(capacity) {}

  bool try_push(Item item) { return queue_.enqueue(item); }
  bool try_pop(Item& item) { return queue_.try_dequeue(item); }
  std::size_t try_push_batch(std::span<Item> items) {
    return queue_.enqueue_bulk(items.data(), items.size()) ? items.size() : 0;
  }
  std::size_t try_pop_batch(std::span<Item> into) {
    return queue_.try_dequeue_bulk(into.data(), into.size());
  }

 private:
  Queue queue_;
};

// The fast interface: each thread has a token. Draining takes up to `most_at_once` items at a time.
// T is Item or Handle.
template <std::size_t most_at_once, class T = Item>
class WithTokens {
  using Queue = moodycamel::ConcurrentQueue<T>;

 public:
  static constexpr bool kKeepsOrder = true;  // of each producer

  class Producer {
   public:
    explicit Producer(Queue& queue) : queue_(queue), token_(queue) {}

    void push(Item item) { queue_.enqueue(token_, T(item)); }
    void push_batch(std::span<Item> items) {
      queue_.enqueue_bulk(token_, items.data(), items.size());
    }

   private:
    Queue& queue_;
    moodycamel::ProducerToken token_;
  };

  class Consumer {
   public:
    explicit Consumer(Queue& queue) : queue_(queue), token_(queue) {}

    Item pop() {
      T item{};
      Backoff backoff;
      while (!queue_.try_dequeue(token_, item)) backoff.miss();
      return static_cast<Item>(item);
    }
    std::size_t pop_batch(std::span<Item> into) {
      Backoff backoff;
      for (;;) {
        const std::size_t count = queue_.try_dequeue_bulk(token_, into.data(), into.size());
        if (count > 0) return count;
        backoff.miss();
      }
    }
    template <class F>
    std::size_t drain(const F& f) {
      if constexpr (most_at_once == 1) {
        f(pop());
        return 1;
      } else {
        std::array<Item, most_at_once> batch;
        const std::size_t count = pop_batch(batch);
        for (std::size_t i = 0; i < count; ++i) f(batch[i]);
        return count;
      }
    }

   private:
    Queue& queue_;
    moodycamel::ConsumerToken token_;
  };

  explicit WithTokens(std::size_t capacity) : queue_(capacity) {}

  Producer producer() { return Producer(queue_); }
  Consumer consumer() { return Consumer(queue_); }

 private:
  Queue queue_;
};

// Blocking, with a semaphore, without tokens.
class Waiting {
 public:
  explicit Waiting(std::size_t capacity) : queue_(capacity) {}

  void push(Item item) { queue_.enqueue(item); }
  Item pop() {
    Item item = 0;
    queue_.wait_dequeue(item);
    return item;
  }

 private:
  moodycamel::BlockingConcurrentQueue<Item> queue_;
};

}  // namespace

void add_moodycamel() {
  add_mpmc<Polled<Tokenless>>("moodycamel", 400'000);
  add_mpmc<WithTokens<1>>("moodycamel_tokens", 400'000);
  add_mpmc<Blocking<Waiting>>("moodycamel_blocking", 200'000);
  add_mpsc<WithTokens<1>>("moodycamel_tokens", 400'000);
  add_mpsc<WithTokens<1, Handle>>("moodycamel_tokens_handles", 400'000);
  add_mpsc<WithTokens<256>>("moodycamel_bulk", 400'000);
  add_mpmc_batches<Polled<Tokenless>>("moodycamel", 1'600'000);
  add_mpmc_batches<WithTokens<1>>("moodycamel_tokens", 1'600'000);
}

}  // namespace fathom::bench
