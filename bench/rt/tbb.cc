// oneTBB's concurrent_bounded_queue, which waits, and concurrent_queue, which is unbounded.

#include <oneapi/tbb/concurrent_queue.h>

#include <cstddef>

#include "transfer.h"

namespace fathom::bench {

namespace {

class Bounded {
 public:
  explicit Bounded(std::size_t capacity) {
    queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity));
  }

  void push(Item item) { queue_.push(item); }
  Item pop() {
    Item item = 0;
    queue_.pop(item);
    return item;
  }

 private:
  tbb::concurrent_bounded_queue<Item> queue_;
};

class Unbounded {
 public:
  explicit Unbounded(std::size_t /*capacity*/) {}

  bool try_push(Item item) {
    queue_.push(item);
    return true;
  }
  bool try_pop(Item& item) { return queue_.try_pop(item); }

 private:
  tbb::concurrent_queue<Item> queue_;
};

}  // namespace

void add_tbb() {
  add_mpmc<Blocking<Bounded>>("tbb_bounded", 200'000);
  add_mpmc<Polled<Unbounded>>("tbb_queue", 200'000);
}

}  // namespace fathom::bench
