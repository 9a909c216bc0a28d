// The hot paths, each as a separate function, for scripts/check-codegen.
//
// The comment before each function says what its machine code on x86-64 may contain, on all
// branches:
//
//   // locked: N (WHY)   exactly N locked instructions, exchanges with memory and fences
//   // calls: NAME...    functions that may be called, off the hot path; without this line none
//
// Items are pointers, as in the executor.

#include <optional>
#include <utility>

#include "fathom/rt/cancel.h"
#include "fathom/rt/deque.h"
#include "fathom/rt/light_event_count.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/mpsc_queue.h"
#include "fathom/rt/spsc_ring.h"
#include "fathom/rt/ticker.h"

using Item = void*;
using Deque = fathom::rt::WorkStealingDeque<Item>;
using Spsc = fathom::rt::SpscRing<Item>;
using Mpmc = fathom::rt::MpmcRing<Item>;
using Mpsc = fathom::rt::MpscQueue<Item>;

extern "C" {

// locked: 0
// calls: fathom::rt::WorkStealingDeque::reserve
void deque_push(Deque& deque, Item item) {
  deque.push(item);
}

// locked: 2 (the store that claims the item; taking the last item)
std::optional<Item> deque_pop(Deque& deque) {
  return deque.pop();
}

// locked: 1 (taking the item)
Item deque_steal(Deque& deque) {
  return deque.steal().value;
}

// locked: 0
bool deque_empty(const Deque& deque) {
  return deque.empty();
}

// locked: 1 (the notifier's fence, without membarrier)
// calls: fathom::rt::EventCount::notify_one
void light_event_count_notify(fathom::rt::LightEventCount& events) {
  events.notify_one();
}

// locked: 1 (as above)
// calls: fathom::rt::EventCount::notify_one
bool spsc_try_push(Spsc& ring, Item item) {
  return ring.try_push(std::move(item));
}

// locked: 1 (as above)
// calls: fathom::rt::EventCount::notify_one
std::optional<Item> spsc_try_pop(Spsc& ring) {
  return ring.try_pop();
}

// locked: 2 (the ticket; as above)
// calls: fathom::rt::EventCount::notify_all
bool mpmc_try_push(Mpmc& ring, Item item) {
  return ring.try_push(std::move(item));
}

// locked: 3 (the ticket; as above; skipping an abandoned ticket)
// calls: fathom::rt::EventCount::notify_all
std::optional<Item> mpmc_try_pop(Mpmc& ring) {
  return ring.try_pop();
}

// locked: 3 (claiming a slot; saying that it is written; only if the consumer is idle, waking it)
// calls: fathom::rt::MpscQueue::obtain, fathom::rt::MpscQueue::recycle, fathom::rt::MpscQueue::undo
bool mpsc_push(Mpsc& queue, Item item) {
  return queue.push(item);
}

// locked: 1 (the consumer is idle, if the queue is empty)
// calls: fathom::rt::MpscQueue::oldest_before
std::optional<Item> mpsc_try_pop(Mpsc& queue) {
  return queue.try_pop();
}

// locked: 0
bool cancel_token_cancelled(const fathom::rt::CancelToken& token) {
  return token.cancelled();
}

// locked: 0
// calls: fathom::rt::BatchedTicker::ask
bool batched_ticker_tick(fathom::rt::BatchedTicker<fathom::rt::ClockTicker>& ticker) {
  return ticker.tick();
}

// locked: 0
// calls: fathom::rt::CountingTicker::look
bool tsc_ticker_tick(fathom::rt::TscTicker& ticker) {
  return ticker.tick();
}
}
