// EventCount: waiting on a futex, or polling where the system has none.

#include "fathom/rt/event_count.h"

#include <algorithm>
#include <limits>

// With a model checker's atomics (base/atomic.h), waits use the checker's operations.
#if defined(__linux__) && !defined(FATHOM_ATOMIC_HEADER)
#define FATHOM_RT_FUTEX 1
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#elif !defined(FATHOM_ATOMIC_HEADER)
#include <thread>
#endif

namespace fathom::rt {

namespace {

using Clock = base::MonotonicClock;
using Word = base::atomic<std::uint32_t>;

// sleep_on() sleeps while the word has the given value: until woken, spuriously, or at the
// deadline, if any. Returns false only at the deadline.

#ifdef FATHOM_RT_FUTEX

static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free,
              "the kernel compares the bytes of the atomic");

long futex(Word& word, int operation, std::uint32_t value, const timespec* deadline,
           std::uint32_t mask) {
  return ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, deadline, nullptr,
                   mask);
}

timespec to_timespec(Clock::time_point time) {
  // The steady clock of libstdc++ and libc++ is CLOCK_MONOTONIC, which FUTEX_WAIT_BITSET uses for
  // its deadline. The kernel refuses negative times.
  const auto since_boot = std::max(time.time_since_epoch(), Clock::duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot - seconds);
  timespec result{};
  result.tv_sec = static_cast<decltype(result.tv_sec)>(seconds.count());
  result.tv_nsec = static_cast<decltype(result.tv_nsec)>(rest.count());
  return result;
}

bool sleep_on(Word& word, std::uint32_t value, const Clock::time_point* deadline) {
  timespec until{};
  if (deadline != nullptr) until = to_timespec(*deadline);
  return futex(word, FUTEX_WAIT_BITSET, value, deadline != nullptr ? &until : nullptr,
               FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

void wake(Word& word, int threads) {
  futex(word, FUTEX_WAKE, static_cast<std::uint32_t>(threads), nullptr, 0);
}

#else

bool sleep_on(Word& word, std::uint32_t value, const Clock::time_point* deadline) {
  if (deadline == nullptr) {
    word.wait(value, base::memory_order_relaxed);
    return true;
  }
#ifdef FATHOM_ATOMIC_HEADER
  return word.wait_until(value, *deadline);
#else
  // std::atomic has no timed wait: poll.
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  return Clock::now() < *deadline;
#endif
}

void wake(Word& word, int threads) {
  if (threads == 1) {
    word.notify_one();
  } else {
    word.notify_all();
  }
}

#endif

}  // namespace

EventCount::Key EventCount::prepare_wait() noexcept {
  // Relaxed, but before the registration: a notifier that sees the waiter changes the epoch later.
  // An outdated key only makes the wait spurious.
  const Key key(epoch_.load(base::memory_order_relaxed));
  waiters_.fetch_add(1, base::memory_order_seq_cst);  // [E1]
  // [E1] seq_cst: pairs with the fence in notify(). If this fence comes first, the notifier sees
  // the waiter; otherwise the caller's next check sees what the notifier changed.
  base::fence(base::memory_order_seq_cst);
  return key;
}

void EventCount::cancel_wait(Key /*key*/) noexcept {
  waiters_.fetch_sub(1, base::memory_order_seq_cst);  // [E3]
}

void EventCount::commit_wait(Key key) noexcept {
  // [E2] acquire: pairs with notify()'s release.
  while (epoch_.load(base::memory_order_acquire) == key.epoch_) {
    sleep_on(epoch_, key.epoch_, nullptr);
  }
  waiters_.fetch_sub(1, base::memory_order_seq_cst);  // [E3]
}

bool EventCount::commit_wait_until(Key key, Clock::time_point deadline) noexcept {
  bool in_time = true;
  while (in_time && epoch_.load(base::memory_order_acquire) == key.epoch_) {  // [E2]
    in_time = sleep_on(epoch_, key.epoch_, &deadline);
  }
  // [E2] A notification between the deadline and this load counts.
  const bool notified = in_time || epoch_.load(base::memory_order_acquire) != key.epoch_;
  waiters_.fetch_sub(1, base::memory_order_seq_cst);  // [E3]
  return notified;
}

bool EventCount::notify_one() noexcept {
  return notify(1);
}

bool EventCount::notify_all() noexcept {
  return notify(std::numeric_limits<int>::max());
}

bool EventCount::notify(int threads) noexcept {
  base::fence(base::memory_order_seq_cst);  // [E1]
  if (waiters_.load(base::memory_order_relaxed) == 0) return false;
  // Threads that have registered but do not sleep yet see the new epoch and return as well: it is
  // unknowable which of them the notification was for.
  // [E2] release: pairs with the waiters' acquire.
  epoch_.fetch_add(1, base::memory_order_release);
  wake(epoch_, threads);
  return true;
}

}  // namespace fathom::rt
