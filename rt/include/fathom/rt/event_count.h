// EventCount: sleeping until a condition holds that lives in lock-free data.
//
// What a condition variable is to a mutex, this is to any data that threads change without one.
// A waiter announces itself, looks at its condition once more, and only then sleeps; a notifier
// changes the data and then notifies. No wake-up is lost: either the waiter's last look sees the
// change, or the notifier sees the waiter. Notifying costs a fence and a load while nobody waits.
//
// The two-phase protocol is Dekker's, as in the event counts of Vyukov, Eigen and folly. Built on
// a futex where there is one, for std's condition variable and atomic wait have lost wake-ups
// (glibc's bug 25847, GCC's 98033).
//
//   // a waiter                                        // a notifier
//   while (!queue.try_pop(&item)) {                    queue.push(item);
//     EventCount::Key key = events.prepare_wait();     events.notify_one();
//     if (queue.empty()) events.commit_wait(key);
//     else events.cancel_wait(key);
//   }
//
// Every prepare_wait() is followed by exactly one cancel_wait() or commit_wait() of the same
// thread. Wake-ups may be spurious: waiters look again. All of it may be called from any thread; it
// must not be destroyed while any thread is in a call.

#pragma once

#include <chrono>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"

namespace fathom::rt {

class EventCount {
 public:
  // What prepare_wait() gives and the other half takes: the moment of the announcement.
  class Key {
    friend class EventCount;
    explicit Key(std::uint32_t epoch) noexcept : epoch_(epoch) {}
    std::uint32_t epoch_;
  };

  EventCount() = default;
  EventCount(const EventCount&) = delete;
  EventCount& operator=(const EventCount&) = delete;

  // Announces that this thread is about to wait. A full fence: what the caller reads afterwards is
  // no older than what a notifier wrote before a notify_*() that missed the announcement.
  [[nodiscard]] Key prepare_wait() noexcept;

  // Takes the announcement back. A notification meant for another waiter is not swallowed. Here and
  // in those below it is taken back by a seq_cst operation: a notify_*() that still saw it comes
  // before what the caller does next in the order of all seq_cst operations.
  void cancel_wait(Key key) noexcept;

  // Sleeps until a notification that came after prepare_wait(); if one has come already, returns at
  // once. What happened before that notification is visible afterwards.
  void commit_wait(Key key) noexcept;

  // The same, until the deadline or for so long at most: whether a notification was seen. One that
  // meets the deadline counts, but may not be seen: who has to know looks at the data.
  bool commit_wait_until(Key key, base::MonotonicClock::time_point deadline) noexcept;
  bool commit_wait_for(Key key, std::chrono::nanoseconds duration) noexcept;

  // After the data has changed: lets at least one of the threads that have announced themselves go
  // on, if there are any: whether there were. A full fence.
  bool notify_one() noexcept;

  // Lets all threads that have announced themselves go on.
  bool notify_all() noexcept;

  // Whether a thread has announced itself. A hint without any order.
  bool has_waiters() const noexcept { return waiters_.load(base::memory_order_relaxed) != 0; }

 private:
  bool notify(int threads) noexcept;

  // Counts the notifications that found somebody waiting; sleepers sleep on it. That it wraps is
  // harmless but for a waiter that is suspended, between its announcement and its sleep, for
  // exactly 2^32 notifications.
  alignas(base::kCacheLine) base::atomic<std::uint32_t> epoch_{0};
  // Threads between prepare_wait() and the end of the other half.
  base::atomic<std::uint32_t> waiters_{0};
};

}  // namespace fathom::rt
