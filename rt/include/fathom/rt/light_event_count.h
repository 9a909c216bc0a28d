// LightEventCount: an EventCount whose notification costs a load while nobody waits.
//
// EventCount pays a full fence for each notification, which is more than a push to a ring costs.
// Here the waiter pays for both: before its last look it has the kernel run a full fence on every
// thread of the process (Linux's membarrier), so the notifier needs none. Where the kernel offers
// no such thing, both sides pay as before. So this is for data that changes often and is seldom
// waited for: going to sleep costs a system call more.
//
// A sandbox that forbids membarrier has to do so before the first of these is made: later, waiting
// would end the program (std::terminate), for a wake-up could be lost.
//
// The fences are the asymmetric ones of Desnoyers' liburcu, folly and P1202.
//
//   queue.push(item);      events.notify_one();                       // a notifier
//   events.wait([&] { return !queue.empty(); });                      // a waiter, in a loop
//   events.wait_until([&] { return !queue.empty(); }, deadline);      // one with a deadline
//
// All of it may be called from any thread; it must not be destroyed while any thread is in a call.

#pragma once

#include <chrono>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/rt/event_count.h"

namespace fathom::rt {

class LightEventCount {
 public:
  using Deadline = base::MonotonicClock::time_point;
  static constexpr Deadline kNever = Deadline::max();

  LightEventCount() noexcept { enable(); }
  LightEventCount(const LightEventCount&) = delete;
  LightEventCount& operator=(const LightEventCount&) = delete;

  // After the data has changed, which is done with at least a release store: lets at least one of
  // the waiting threads go on, if there are any.
  void notify_one() noexcept {
    light_fence();
    if (events_.has_waiters()) events_.notify_one();
  }
  // Lets all waiting threads go on.
  void notify_all() noexcept {
    light_fence();
    if (events_.has_waiters()) events_.notify_all();
  }

  // Returns once ready() has held, or for no reason: callers look again. Spins first, then offers
  // the processor to others, then sleeps. ready() reads what notifiers change with at least acquire
  // loads, and does not throw.
  template <class Ready>
  void wait(const Ready& ready) noexcept {
    wait_until(ready, kNever);
  }

  // The same, until the deadline at most. False only where that has come and ready() did not hold
  // then. With one that came before, it looks once and returns.
  template <class Ready>
  bool wait_until(const Ready& ready, Deadline deadline) noexcept {
    Yielding since;
    for (int look = 0; look < kLooks; ++look) {
      if (ready()) return true;
      if (deadline != kNever && base::monotonic_now() >= deadline) return false;
      if (!pause(look, since)) break;
    }
    const EventCount::Key key = events_.prepare_wait();
    // [L1] pairs with light_fence(). Each notifier passes a full fence during this call. If that is
    // after its change of the data, ready() sees the change. If it is before, the notifier's look
    // comes later still, and sees the announcement of prepare_wait().
    heavy_fence();
    if (ready()) {
      events_.cancel_wait(key);
      return true;
    }
    if (deadline != kNever) return events_.commit_wait_until(key, deadline) || ready();
    events_.commit_wait(key);
    return true;
  }

  // Whether a thread has announced itself. A hint without any order.
  bool has_waiters() const noexcept { return events_.has_waiters(); }

 private:
  // When a wait began to yield, and what processor time its program had used by then.
  struct Yielding {
    base::MonotonicClock::time_point wall = {};
    std::chrono::nanoseconds used = {};
  };

#ifdef FATHOM_ATOMIC_HEADER
  static constexpr int kLooks = 0;
  static bool pause(int /*look*/, Yielding& /*since*/) noexcept {
    return false;
  }
#else
  // Looks before going to sleep. The pauses of the first double: each look takes the data's cache
  // line from the notifiers, and one who looks less often finds more at a time. The others yield:
  // where threads outnumber processors, whom this one waits for may be waiting for its processor.
  // Altogether they take about as long as a sleep and a wake-up; but where another program has work
  // for the processor, a yield costs a slice of milliseconds, from which nobody wakes this thread.
  // After one that did, the next waits do without.
  static constexpr int kSpins = 8;
  static constexpr int kYields = 8;
  static constexpr int kLooks = kSpins + kYields;
  // What follows a look in vain; whether another one is worth it.
  bool pause(int look, Yielding& since) noexcept;
#endif

  // Once per process, before any object exists: finds out whether the heavy fence works.
  static void enable() noexcept;

  // [L1] Keeps the compiler from moving the look before the change; heavy_fence() keeps the
  // processor from it.
  static void light_fence() noexcept {
    if (asymmetric_.load(base::memory_order_relaxed)) {
      asm volatile("" ::: "memory");
    } else {
      // [L1] pairs with that of heavy_fence()
      base::fence(base::memory_order_seq_cst);
    }
  }

  // Set by enable() alone, hence before any call on any object; never changes afterwards.
  static base::atomic<bool> asymmetric_;

  // A full fence here, and where asymmetric_ on every thread of the process.
  static void heavy_fence() noexcept;

  EventCount events_;
  // How many waits are still to do without yields. Waiters that write at once lose a count.
  base::atomic<unsigned> without_yields_{0};
};

}  // namespace fathom::rt
