// Between threads: Fathom's queues and the naive ones. The peers are in separate files.

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/spsc_ring.h"
#include "fathom/rt/two_lock_queue.h"
#include "rt/fathom_queues.h"
#include "rt/mutex_queue.h"
#include "rt/mutex_ring.h"
#include "rt/ordered_ring.h"
#include "rt/round_trip.h"
#include "rt/suite.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

using Spsc = FathomRing<rt::SpscRing<Item>>;
using Mpmc = FathomRing<rt::MpmcRing<Item>>;
using TwoLock = FathomQueue<rt::TwoLockQueue<Item>>;

// The minimum for two threads to exchange a word: one cache line that both write. 0 is empty.
class Cell {
 public:
  explicit Cell(std::size_t /*capacity*/) {}

  bool try_push(Item item) noexcept {
    if (item_.load(base::memory_order_relaxed) != 0) return false;
    item_.store(item, base::memory_order_release);  // [B5] pairs with the acquire in try_pop()
    return true;
  }
  bool try_pop(Item& item) noexcept {
    item = item_.load(base::memory_order_acquire);  // [B5]
    if (item == 0) return false;
    item_.store(0, base::memory_order_relaxed);
    return true;
  }

 private:
  alignas(base::kCacheLine) base::atomic<Item> item_{0};
};

void add_spsc_queues() {
  add_spsc<Polled<Spsc>>("fathom", 5'000'000);
  add_spsc<Blocking<Spsc>>("fathom_blocking", 2'000'000);
  add_spsc<Polled<AcquireReleaseRing>>("acq_rel", 5'000'000);
  add_spsc<Polled<SeqCstRing>>("seq_cst", 1'000'000);
  add_spsc<Polled<MutexRing>>("mutex_ring", 1'000'000);
  add_spsc<Polled<MutexQueue>>("mutex_queue", 1'000'000);
  add_spsc_batches<Polled<Spsc>>("fathom", 20'000'000);
  add_spsc_batches<Blocking<Spsc>>("fathom_blocking", 10'000'000);
  add_spsc_batches<Polled<MutexRing>>("mutex_ring", 5'000'000);
}

void add_mpmc_queues() {
  add_mpmc<Polled<Mpmc>>("fathom", 400'000);
  add_mpmc<Blocking<Mpmc>>("fathom_blocking", 400'000);
  add_mpmc<Blocking<TwoLock>>("fathom_two_lock", 200'000);
  add_mpmc<Polled<MutexRing>>("mutex_ring", 200'000);
  add_mpmc<Polled<MutexQueue>>("mutex_queue", 200'000);
  add_mpmc<Blocking<MutexQueue>>("coarse_mutex", 200'000);
  add_mpmc_batches<Polled<Mpmc>>("fathom", 1'600'000);
  add_mpmc_batches<Blocking<Mpmc>>("fathom_blocking", 1'600'000);
  add_mpmc_batches<Polled<MutexRing>>("mutex_ring", 1'600'000);
}

void add_round_trips() {
  add_round_trip<Polled<Cell>>("cell_floor", 20'000);
  add_round_trip<Polled<Spsc>>("fathom_spsc", 20'000);
  add_round_trip<Blocking<Spsc>>("fathom_spsc_blocking", 5'000);
  add_round_trip<Polled<Mpmc>>("fathom_mpmc", 20'000);
  add_round_trip<Blocking<Mpmc>>("fathom_mpmc_blocking", 5'000);
  add_round_trip<Polled<MutexRing>>("mutex_ring", 5'000);
  add_round_trip<Blocking<MutexQueue>>("coarse_mutex", 5'000);
}

}  // namespace

void add_queues() {
  add_spsc_queues();
  add_mpmc_queues();
  add_round_trips();
}

}  // namespace fathom::bench
