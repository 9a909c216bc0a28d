// LightEventCount: an EventCount whose notification costs one load while nobody waits.
//
// EventCount pays a full fence for each notification, more than a push to a ring costs. Here the
// waiter pays for both sides: before its second check it has the kernel run a full fence on every
// thread of the process (Linux's membarrier), so the notifier needs none. If the kernel does not
// support this, both sides pay as in EventCount. Use it for data that changes often and is seldom
// waited for: going to sleep costs an additional system call, of some 16 us, which interrupts every
// running thread of the process.
//
// With WaitFence::by_both, both sides pay in any case. Use that where threads often sleep, or where
// others must not be interrupted; then membarrier is never called. It is the object that decides:
// a waiter can do without only if each notifier pays.
//
// A sandbox that forbids membarrier must do so before the first object by_waiter is constructed:
// later, a wait ends the program (std::terminate), because a wake-up could be lost.
//
// The asymmetric fences are those of Desnoyers' liburcu, folly and P1202.
//
//   queue.push(item);      events.notify_one();                       // a notifier
//   events.wait([&] { return !queue.empty(); });                      // a waiter, in a loop
//   events.wait_until([&] { return !queue.empty(); }, deadline);      // one with a deadline
//   events.wait_until([&] { return !queue.empty(); }, token);         // one that can be cancelled
//
// All functions may be called from any thread; the object must not be destroyed while any thread is
// in a call.

#pragma once

#include <chrono>
#include <concepts>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/event_count.h"

namespace fathom::rt {

// What ends a wait: a time, or a CancelToken, whose deadline takes effect during the wait.
template <class Limit>
concept WaitLimit = std::convertible_to<Limit, base::MonotonicClock::time_point> ||
    std::same_as<Limit, CancelToken>;

// Who pays for the fences between a change, the check for waiters, and a waiter's last check.
enum class WaitFence : bool {
  by_waiter,  // membarrier before each sleep; a load for each notification
  by_both,    // a full fence for each sleep and for each notification, as in EventCount
};

class LightEventCount {
 public:
  using Deadline = base::MonotonicClock::time_point;
  static constexpr Deadline kNever = Deadline::max();

  explicit LightEventCount(WaitFence fence = WaitFence::by_waiter) noexcept
      : asymmetric_(fence == WaitFence::by_waiter && has_membarrier()) {}
  LightEventCount(const LightEventCount&) = delete;
  LightEventCount& operator=(const LightEventCount&) = delete;

  // Call after changing the data with at least a release store. Wakes at least one waiting thread,
  // if there are any.
  void notify_one() noexcept {
    light_fence();
    if (events_.has_waiters()) events_.notify_one();
  }
  // Wakes all waiting threads.
  void notify_all() noexcept {
    light_fence();
    if (events_.has_waiters()) events_.notify_all();
  }

  // Returns once ready() has held, or spuriously: callers check again. Spins first, then yields the
  // processor, then sleeps. ready() must read what notifiers change with at least acquire loads,
  // and must not throw.
  template <class Ready>
  void wait(const Ready& ready) noexcept {
    wait_until(ready, kNever);
  }

  // The same, but at most until the deadline. Returns false only if the deadline has passed and
  // ready() did not hold then. If the deadline is in the past, checks once and returns.
  template <class Ready>
  bool wait_until(const Ready& ready, Deadline deadline) noexcept {
    Yielding since;
    for (int look = 0; look < kLooks; ++look) {
      if (ready()) return true;
      if (deadline != kNever && base::monotonic_now() >= deadline) return false;
      if (!pause(look, since)) break;
    }
    const EventCount::Key key = events_.prepare_wait();
    // [L1] pairs with light_fence(). Each notifier passes a full fence during this call. If the
    // fence is after its change of the data, ready() sees the change. If it is before, the notifier
    // checks for waiters even later, and sees the registration of prepare_wait().
    heavy_fence();
    if (ready()) {
      events_.cancel_wait(key);
      return true;
    }
    if (deadline != kNever) return events_.commit_wait_until(key, deadline) || ready();
    events_.commit_wait(key);
    return true;
  }

  // The same, but at most until the token is cancelled. Returns false only if it is, and ready()
  // did not hold then.
  template <class Ready>
  bool wait_until(const Ready& ready, const CancelToken& token) noexcept {
    if (ready()) return true;
    const CancelCallback wake(token, [this] { notify_all(); });
    const auto over = [&] { return ready() || token.cancelled(); };
    if (!wait_until(over, token.deadline())) token.expire(base::monotonic_now());
    return ready() || !token.cancelled();
  }

  // Whether a thread is registered. A hint, without memory order.
  bool has_waiters() const noexcept { return events_.has_waiters(); }

 private:
  // The wall time and the CPU time of the process when a wait began to yield.
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
  // The checks before going to sleep. The pauses between the first ones double: each check takes
  // the data's cache line from the notifiers, and a thread that checks less often finds more at a
  // time. The others yield: if threads outnumber processors, the thread that this one waits for may
  // be waiting for this processor. Together they take about as long as a sleep and a wake-up. But
  // if another program has work for the processor, a yield costs a time slice of milliseconds, from
  // which nobody can wake this thread. After such a yield the next waits do not yield.
  static constexpr int kSpins = 8;
  static constexpr int kYields = 8;
  static constexpr int kLooks = kSpins + kYields;
  // Called after a failed check; returns whether to check again.
  bool pause(int look, Yielding& since) noexcept;
#endif

  // Whether membarrier works; the first call registers the process.
  static bool has_membarrier() noexcept;
  // A full fence on every thread of the process, including this one.
  static void fence_everywhere() noexcept;

  // [L1] Keeps the compiler from moving the check before the change; heavy_fence() keeps the
  // processor from it.
  void light_fence() const noexcept {
    if (asymmetric_) {
      asm volatile("" ::: "memory");
    } else {
      // [L1] pairs with that of heavy_fence()
      base::fence(base::memory_order_seq_cst);
    }
  }

  void heavy_fence() const noexcept {
    if (asymmetric_) {
      fence_everywhere();
    } else {
      base::fence(base::memory_order_seq_cst);  // [L1]
    }
  }

  EventCount events_;
  // How many further waits do not yield. Concurrent updates may lose a count, which is harmless.
  base::atomic<unsigned> without_yields_{0};
  const bool asymmetric_;  // the waiter pays for both
};

}  // namespace fathom::rt
