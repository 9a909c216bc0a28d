// Maxim Egorushkin's atomic_queue.

#include <atomic_queue/atomic_queue.h>

#include <cstddef>

#include "rt/round_trip.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

// Both use 0 for an empty slot; no item is 0.
using SpscQueue = atomic_queue::AtomicQueue<Item, kCapacity, 0, true, true, false, true>;
using MpmcQueue = atomic_queue::AtomicQueue<Item, kCapacity, 0>;

template <class Queue>
class Tried {
 public:
  explicit Tried(std::size_t /*capacity*/) {}

  bool try_push(Item item) noexcept { return queue_.try_push(item); }
  bool try_pop(Item& item) noexcept { return queue_.try_pop(item); }

 private:
  Queue queue_;
};

// The "optimist" functions take a ticket and spin until the slot is free, without yielding.
template <class Queue>
class Optimist {
 public:
  explicit Optimist(std::size_t /*capacity*/) {}

  void push(Item item) noexcept { queue_.push(item); }
  Item pop() noexcept { return queue_.pop(); }

 private:
  Queue queue_;
};

}  // namespace

void add_atomic_queue() {
  add_spsc<Polled<Tried<SpscQueue>>>("atomic_queue", 5'000'000);
  add_spsc<Blocking<Optimist<SpscQueue>>>("atomic_queue_optimist", 1'000'000);
  // A slot knows whether it is empty, but not whose turn it is: a thread that is suspended between
  // taking its ticket and using its slot may find the slot in a later lap, and then two items one
  // lap apart come out swapped. With more than two threads this queue therefore does not promise
  // any order. Its optimist functions are excluded here: if threads outnumber processors, they spin
  // for whole time slices.
  add_mpmc<Polled<Tried<MpmcQueue>, false>>("atomic_queue", 200'000);
  add_round_trip<Polled<Tried<SpscQueue>>>("atomic_queue_spsc", 20'000);
}

}  // namespace fathom::bench
