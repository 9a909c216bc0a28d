// Boost.Lockfree's spsc_queue and queue, of a fixed capacity.

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <span>

#include "rt/round_trip.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

class Spsc {
 public:
  explicit Spsc(std::size_t capacity) : queue_(capacity) {}

  bool try_push(Item item) { return queue_.push(item); }
  bool try_pop(Item& item) { return queue_.pop(item); }
  std::size_t try_push_batch(std::span<Item> items) {
    return queue_.push(items.data(), items.size());
  }
  std::size_t try_pop_batch(std::span<Item> into) { return queue_.pop(into.data(), into.size()); }

 private:
  boost::lockfree::spsc_queue<Item> queue_;
};

class Mpmc {
 public:
  explicit Mpmc(std::size_t /*capacity*/) {}

  bool try_push(Item item) { return queue_.bounded_push(item); }
  bool try_pop(Item& item) { return queue_.pop(item); }

 private:
  boost::lockfree::queue<Item, boost::lockfree::capacity<kCapacity>> queue_;
};

}  // namespace

void add_boost() {
  add_spsc<Polled<Spsc>>("boost", 5'000'000);
  add_spsc_batches<Polled<Spsc>>("boost", 20'000'000);
  add_mpmc<Polled<Mpmc>>("boost", 200'000);
  add_mpsc<Polled<Mpmc>>("boost", 200'000);
  add_round_trip<Polled<Spsc>>("boost_spsc", 20'000);
}

}  // namespace fathom::bench
