// ProfiledMutex: a mutex that measures which threads waited for it, how long, and which held it.
//
// A replacement for std::mutex that works with std::lock_guard, unique_lock, scoped_lock and
// condition_variable_any. lock_report() (lock_report.h) shows the measurements of all of them. Each
// mutex has a name; mutexes with the same name are reported together.
//
//   ProfiledMutex mutex("tree");
//   { const std::lock_guard lock(mutex); grow(tree); }
//   print(lock_report().text());
//
// Exact: the number of acquisitions and of waits; the duration of each wait, from lock() to
// ownership; and for each thread and call of lock(), how much of the waits of others fell into the
// time that it held the mutex. Sampled: the duration of holds. A hold after a wait is always
// measured, of the others one in HoldEvery on average, at random.
//
// While the mutex is held, only its own counters are written; the clock is read only if others
// wait, or for a sample. A thread that has to wait first spins for about a microsecond, then
// records its stack, and only then sleeps; the stacks of waits below kLongWait are not reported.
//
// Unlike a std::mutex it takes 3.5 KB, and its constructor is not constexpr. The constructor and
// the destructor take a lock that all of them share. A mutex with static storage duration therefore
// exists only after its dynamic initialization.
//
// A forked child may continue to use one, as far as it may use a std::mutex. But threads that
// waited in the parent count as waiting in the child forever: its figures of that mutex are
// meaningless.
//
// The holder is identified by the instruction that called lock(). If lock() is called by a guard
// that the compiler does not inline (-O0, -O1), the report shows the caller of the guard.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/source_location.h"
#include "fathom/diag/lock_profile.h"
#include "fathom/diag/span.h"

namespace fathom::diag {

// Clock: any clock with a static now(). Tests disable LooksAgain, so that a thread does not spin
// before it sleeps and each wait is recorded with its stack.
template <class Clock, std::uint32_t HoldEvery = 64, bool LooksAgain = true>
class BasicProfiledMutex {
 public:
  // Without a name it is named after the place of its constructor: cache.h:12.
  explicit BasicProfiledMutex(std::string_view name = {},
                              base::SourceLocation where = base::SourceLocation::current())
      : profile_(name, where) {
    // Do not always sample the first hold, which is often longer than the later ones.
    until_sample_ = profile_.next_sample(HoldEvery);
  }
  BasicProfiledMutex(const BasicProfiledMutex&) = delete;
  BasicProfiledMutex& operator=(const BasicProfiledMutex&) = delete;

  [[gnu::always_inline]] void lock() {
    if (!mutex_.try_lock()) [[unlikely]] {
      wait();
    } else {
      take();
    }
    site_ = CallSite::here();
  }

  [[gnu::always_inline]] bool try_lock() {
    if (!mutex_.try_lock()) return false;
    take();
    site_ = CallSite::here();
    return true;
  }

  void unlock() {
    if (waiting_.load(base::memory_order_relaxed) != 0 || hold_ != Hold::unmeasured) [[unlikely]]
      end_hold();
    mutex_.unlock();  // from here on it may be destroyed
  }

  // The number of waiting threads at about this time: a hint.
  [[nodiscard]] std::size_t waiting() const noexcept {
    return LockWaits(waiting_.load(base::memory_order_relaxed)).count();
  }

 private:
  enum class Hold : std::uint8_t { unmeasured, sampled, after_wait };

  static std::uint64_t now() noexcept {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
  }

  // Acquired without a wait.
  void take() noexcept {
    profile_.count_acquisition();
    if (waiting_.load(base::memory_order_relaxed) != 0 || --until_sample_ == 0) [[unlikely]]
      begin_observed_hold();
  }

  [[gnu::noinline]] void begin_observed_hold() noexcept {
    const std::uint64_t began = now();
    waited_before_ = LockWaits(waiting_.load(base::memory_order_relaxed)).until(began);
    if (until_sample_ != 0) return;
    until_sample_ = profile_.next_sample(HoldEvery);
    hold_ = Hold::sampled;
    began_ = began;
  }

  [[gnu::noinline]] void wait() {
    const Ticks span = begin_span();
    const std::uint64_t began = now();
    waiting_.fetch_add(LockWaits::one(began), base::memory_order_relaxed);
    LockProfile::Waiter* waiter = nullptr;
    if (!look_again()) {
      waiter = profile_.waiter();
      if (profile_.limits_waits()) [[unlikely]] {
        profile_.lock(mutex_, now() - began);
      } else {
        mutex_.lock();
      }
    }
    const std::uint64_t ended = std::max(now(), began);  // clocks may go back
    const std::uint64_t others =
        waiting_.fetch_sub(LockWaits::one(began), base::memory_order_relaxed) -
        LockWaits::one(began);
    profile_.count_acquisition();
    profile_.count_wait(ended - began, waiter);
    waited_before_ = LockWaits(others).until(ended);
    hold_ = Hold::after_wait;
    began_ = ended;
    end_span(profile_.span_name(), span);
    profile_.check_wait(ended - began);
  }

  // Returns whether spinning acquired the mutex.
  bool look_again() noexcept {
    if (!LooksAgain || !LockProfile::spins()) return false;
    for (unsigned pauses = 4; pauses <= 32; pauses *= 2) {
      for (unsigned i = 0; i < pauses; ++i) base::cpu_relax();
      if (mutex_.try_lock()) return true;
    }
    return false;
  }

  // Called while the mutex is still held.
  [[gnu::noinline]] void end_hold() noexcept {
    const std::uint64_t ended = now();
    const std::uint64_t waited = LockWaits(waiting_.load(base::memory_order_relaxed)).until(ended);
    if (waited > waited_before_) profile_.blame(site_, waited - waited_before_);
    if (hold_ != Hold::unmeasured) {
      profile_.count_hold(std::max(ended, began_) - began_, hold_ == Hold::sampled);
    }
    waited_before_ = 0;
    hold_ = Hold::unmeasured;
  }

  std::mutex mutex_;
  // The current waiters, packed as LockWaits.
  base::atomic<std::uint64_t> waiting_{0};

  // Guarded by mutex_.
  CallSite site_;                    // of the last lock()
  std::uint64_t began_ = 0;          // the start of the hold, if it is measured
  std::uint64_t waited_before_ = 0;  // ns that the waiters had waited when the hold began
  std::uint32_t until_sample_ = 1;   // acquisitions until the next sample
  Hold hold_ = Hold::unmeasured;
  LockProfile profile_;
};

using ProfiledMutex = BasicProfiledMutex<base::MonotonicClock>;

}  // namespace fathom::diag
