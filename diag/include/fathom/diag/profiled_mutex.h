// ProfiledMutex: a std::mutex that knows who waited for it, for how long, and who held it
// meanwhile.
//
// It takes the place of a std::mutex: std::lock_guard, unique_lock, scoped_lock and
// condition_variable_any work with it. lock_report() (lock_report.h) tells what all of them have
// seen. Each has a name; those of the same name are told as one.
//
//   ProfiledMutex mutex("tree");
//   { const std::lock_guard lock(mutex); grow(tree); }
//   print(lock_report().text());
//
// Exact: acquisitions; those that had to wait; each wait, from lock() to having it; and for each
// thread and call of lock() how much of the wait of all others fell into the time that it held the
// mutex. Sampled: how long it is held. Those who had to wait measure that every time, of the others
// one of HoldEvery on average does, at random.
//
// Nothing but counters of its own is written while the mutex is held; only when others wait, or for
// a sample, the clock is read then. A thread that has to wait looks a few times more, for about a
// microsecond, takes its stack, and only then sleeps; stacks of waits below kLongWait are not told.
//
// Unlike a std::mutex it takes 3.5 KB, its constructor is no constant expression and, like the
// destructor, takes a lock that all share: a mutex with static storage is there from its
// initialization on, and not before.
//
// A forked child may go on using one, as far as it may a std::mutex. But threads that waited in the
// parent count as waiting in the child for ever: its figures of that mutex mean nothing.
//
// Who holds it is known by the instruction that called lock(). Where lock() is called by a guard
// that the compiler does not inline (-O0, -O1), the report shows the guard's caller.

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

// With another clock, whose now() is called as std's are; and for tests, without a second look
// before a thread sleeps, so that each wait is told with its stack.
template <class Clock, std::uint32_t HoldEvery = 64, bool LooksAgain = true>
class BasicProfiledMutex {
 public:
  // Without a name it is called by the place of its constructor: cache.h:12.
  explicit BasicProfiledMutex(std::string_view name = {},
                              base::SourceLocation where = base::SourceLocation::current())
      : profile_(name, where) {
    // Not the first one for certain, which often is longer than those that follow.
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
    mutex_.unlock();  // from here on it may be gone
  }

  // How many wait for it at about this time: a hint.
  [[nodiscard]] std::size_t waiting() const noexcept {
    return LockWaits(waiting_.load(base::memory_order_relaxed)).count();
  }

 private:
  enum class Hold : std::uint8_t { unmeasured, sampled, after_wait };

  static std::uint64_t now() noexcept {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
  }

  // Has it, without a wait.
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
      mutex_.lock();
    }
    const std::uint64_t ended = std::max(now(), began);  // clocks may step back
    const std::uint64_t others =
        waiting_.fetch_sub(LockWaits::one(began), base::memory_order_relaxed) -
        LockWaits::one(began);
    profile_.count_acquisition();
    profile_.count_wait(ended - began, waiter);
    waited_before_ = LockWaits(others).until(ended);
    hold_ = Hold::after_wait;
    began_ = ended;
    end_span(profile_.span_name(), span);
  }

  // Whether that has got it.
  bool look_again() noexcept {
    if (!LooksAgain || !LockProfile::spins()) return false;
    for (unsigned pauses = 4; pauses <= 32; pauses *= 2) {
      for (unsigned i = 0; i < pauses; ++i) base::cpu_relax();
      if (mutex_.try_lock()) return true;
    }
    return false;
  }

  // Still has it.
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
  // Those who wait now, as LockWaits packs them.
  base::atomic<std::uint64_t> waiting_{0};

  // Guarded by mutex_.
  CallSite site_;                    // of the last lock()
  std::uint64_t began_ = 0;          // the hold, if it is measured
  std::uint64_t waited_before_ = 0;  // ns that those who wait had waited when the hold began
  std::uint32_t until_sample_ = 1;   // acquisitions
  Hold hold_ = Hold::unmeasured;
  LockProfile profile_;
};

using ProfiledMutex = BasicProfiledMutex<base::MonotonicClock>;

}  // namespace fathom::diag
