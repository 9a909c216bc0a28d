// EventCount: lets threads sleep until a condition on lock-free data holds.
//
// It is for lock-free data what a condition variable is for data under a mutex. A waiter registers,
// checks its condition again, and only then sleeps; a notifier changes the data and then notifies.
// No wake-up is lost: either the waiter's second check sees the change, or the notifier sees the
// waiter. While nobody waits, a notification costs a fence and a load.
//
// The two-phase protocol is Dekker's, as in the event counts of Vyukov, Eigen and folly. It is
// built on a futex where the system has one, because std::condition_variable and std::atomic::wait
// have lost wake-ups (glibc bug 25847, GCC bug 98033).
//
//   // a waiter                                        // a notifier
//   while (!queue.try_pop(&item)) {                    queue.push(item);
//     EventCount::Key key = events.prepare_wait();     events.notify_one();
//     if (queue.empty()) events.commit_wait(key);
//     else events.cancel_wait(key);
//   }
//
// Every prepare_wait() is followed by exactly one cancel_wait() or commit_wait() of the same
// thread. Wake-ups may be spurious: waiters check their condition again. All functions may be
// called from any thread; the object must not be destroyed while any thread is in a call.

#pragma once

#include <chrono>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"

namespace fathom::rt {

class EventCount {
 public:
  // Links prepare_wait() to the call that completes it: the epoch at the time of registration.
  class Key {
    friend class EventCount;
    explicit Key(std::uint32_t epoch) noexcept : epoch_(epoch) {}
    std::uint32_t epoch_;
  };

  EventCount() = default;
  EventCount(const EventCount&) = delete;
  EventCount& operator=(const EventCount&) = delete;

  // Registers this thread as about to wait. A full fence: what the caller reads afterwards is at
  // least as new as what a notifier wrote before a notify_*() that missed the registration.
  [[nodiscard]] Key prepare_wait() noexcept;

  // Unregisters this thread. It does not swallow a notification meant for another waiter. Here and
  // in the functions below, unregistering is a seq_cst operation: in the order of all seq_cst
  // operations, a notify_*() that still saw the registration precedes what the caller does next.
  void cancel_wait(Key key) noexcept;

  // Sleeps until a notification that came after prepare_wait(); returns immediately if one has come
  // already. What happened before that notification is visible afterwards.
  void commit_wait(Key key) noexcept;

  // The same, but at most until the deadline or for the duration, which is any that
  // deadline_after() of clock.h takes. Returns whether a notification was seen. A notification at
  // the same moment as the deadline may go unseen: check the data.
  bool commit_wait_until(Key key, base::MonotonicClock::time_point deadline) noexcept;
  template <class Rep, class Period>
  bool commit_wait_for(Key key, std::chrono::duration<Rep, Period> duration) noexcept {
    return commit_wait_until(key, base::deadline_after(base::monotonic_now(), duration));
  }

  // Call after changing the data. Wakes at least one registered thread, if there are any; returns
  // whether there were. A full fence.
  bool notify_one() noexcept;

  // Wakes all registered threads.
  bool notify_all() noexcept;

  // Whether a thread is registered. A hint, without memory order.
  bool has_waiters() const noexcept { return waiters_.load(base::memory_order_relaxed) != 0; }

 private:
  bool notify(int threads) noexcept;

  // Counts the notifications that found a waiter; sleepers sleep on it. Wrapping around is harmless
  // unless a waiter is suspended between registering and sleeping for exactly 2^32 notifications.
  alignas(base::kCacheLine) base::atomic<std::uint32_t> epoch_{0};
  // Threads between prepare_wait() and the end of the call that completes it.
  base::atomic<std::uint32_t> waiters_{0};
};

}  // namespace fathom::rt
