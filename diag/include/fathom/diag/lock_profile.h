// LockProfile: the measurements of a profiled mutex. An implementation detail; users include
// lock_report.h.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/source_location.h"
#include "fathom/base/stack.h"
#include "fathom/diag/break_limit.h"

namespace fathom::diag {

struct LockUsage;

// A call of lock(): the address of the instruction, and the return address of its function.
struct CallSite {
  std::uintptr_t address = 0;
  std::uintptr_t caller = 0;

  [[gnu::always_inline]] static CallSite here() noexcept {
    std::uintptr_t address = 0;
#if defined(__x86_64__)
    asm volatile("lea 0(%%rip), %0" : "=r"(address));
#elif defined(__aarch64__)
    asm volatile("adr %0, ." : "=r"(address));
#endif
    return {address, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))};
  }

  bool operator==(const CallSite&) const = default;
};

// All current waiters in one word: their number, and the sum of the times at which they began to
// wait. The total time that they have waited is then one multiplication away. Correct while fewer
// than 2^14 threads wait, and together less than 2^49 ns (6 days).
class LockWaits {
 public:
  explicit LockWaits(std::uint64_t word) noexcept : word_(word) {}

  // Added when a thread begins to wait at `began`, and subtracted when its wait ends.
  static std::uint64_t one(std::uint64_t began) noexcept { return began << kCountBits | 1; }

  [[nodiscard]] std::size_t count() const noexcept { return word_ & ((1U << kCountBits) - 1); }

  // The total time that the current waiters have waited, in nanoseconds.
  [[nodiscard]] std::uint64_t until(std::uint64_t now) const noexcept {
    const std::uint64_t waited = count() * now - (word_ >> kCountBits);
    const std::uint64_t modulo = waited << kCountBits >> kCountBits;
    // The clocks of two processors may differ slightly, so that the difference is negative.
    return modulo >> (63U - kCountBits) != 0 ? 0 : modulo;
  }

 private:
  static constexpr unsigned kCountBits = 14;

  std::uint64_t word_;
};

// What all locks with one name share. Lives as long as the program.
struct LockName {
  explicit LockName(const std::string& name) : span("lock " + name) {}

  const std::string span;   // the name of a wait on a timeline
  BreakLimit longest_wait;  // in nanoseconds
};

class LockProfile {
 public:
  // Shorter waits are counted without their stacks.
  static constexpr std::chrono::nanoseconds kLongWait = std::chrono::microseconds(10);
  // Element i counts durations of 2^i to 2^(i+1) - 1 ns; the first also counts shorter ones, the
  // last also longer ones.
  static constexpr std::size_t kBuckets = 40;
  using Histogram = std::array<std::uint64_t, kBuckets>;

  // The waits of one stack.
  struct Waiter {
    base::Stack stack;
    // Written only by the thread that holds the mutex.
    base::atomic<std::uint64_t> waits{0};
    base::atomic<std::uint64_t> ns{0};
    base::atomic<std::uint64_t> most_ns{0};
  };

  LockProfile(std::string_view name, base::SourceLocation where);
  // Keeps the measurements for reports, by name.
  ~LockProfile();
  LockProfile(const LockProfile&) = delete;
  LockProfile& operator=(const LockProfile&) = delete;

  // ---- For the thread that holds the mutex

  void count_acquisition() noexcept { add(acquisitions_, 1); }
  // `waiter` may be null.
  void count_wait(std::uint64_t ns, Waiter* waiter) noexcept;
  void count_hold(std::uint64_t ns, bool sampled) noexcept;
  // Records that others have waited for `ns` while this thread held the mutex, locked at `site`.
  void blame(CallSite site, std::uint64_t ns) noexcept;
  // The number of acquisitions until the next sample, `every` on average.
  std::uint32_t next_sample(std::uint32_t every) noexcept;

  // ---- For any thread

  // The entry of the calling thread, which is about to wait; null if there are too many, or no
  // memory.
  Waiter* waiter() noexcept;
  // The name of a wait on a timeline. Lives as long as the program.
  [[nodiscard]] const char* span_name() const noexcept { return shared_.span.c_str(); }
  // Whether there is a limit that a wait must not exceed; see break_when().
  [[nodiscard]] bool limits_waits() const noexcept { return shared_.longest_wait.is_armed(); }
  // Locks the mutex, for a thread that has waited for `ns`. Stops if the limit passes meanwhile.
  void lock(std::mutex& mutex, std::uint64_t ns);
  // Stops if the wait, which has ended, was longer than the limit.
  void check_wait(std::uint64_t ns) noexcept {
    if (shared_.longest_wait.is_below(static_cast<std::int64_t>(ns))) [[unlikely]]
      break_after(ns);
  }
  // Whether spinning can pay: there is more than one processor.
  [[nodiscard]] static bool spins() noexcept { return kSpins; }

  // Adds the measurements so far to those of other mutexes with the same name.
  void add_to(LockUsage& usage) const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  friend class LockRegistry;

  // Waits of others while threads of this name held the mutex, locked at this call.
  struct Holder {
    base::atomic<std::uint32_t> thread{0};  // the number of its name; 0: unused. Written last.
    base::atomic<std::uintptr_t> address{0};
    base::atomic<std::uintptr_t> caller{0};
    base::atomic<std::uint64_t> holds{0};
    base::atomic<std::uint64_t> ns{0};
  };
  struct Durations {
    base::atomic<std::uint64_t> count{0};
    base::atomic<std::uint64_t> ns{0};
    base::atomic<std::uint64_t> most_ns{0};

    void add(std::uint64_t ns) noexcept;
  };
  using Buckets = std::array<base::atomic<std::uint64_t>, kBuckets>;

  static constexpr std::size_t kHolders = 64;  // the last one collects the rest
  static constexpr std::size_t kMostWaiters = 256;

  // Requires that there is only one writer.
  static void add(base::atomic<std::uint64_t>& sum, std::uint64_t by) noexcept {
    sum.store(sum.load(base::memory_order_relaxed) + by, base::memory_order_relaxed);
  }
  static void count_in(Buckets& buckets, std::uint64_t ns) noexcept;
  Holder& holder_of(std::uint32_t thread, CallSite site) noexcept;

  void break_after(std::uint64_t ns) noexcept;

  static const bool kSpins;

  // Written by the thread that holds the mutex, read by reports at any time.
  base::atomic<std::uint64_t> acquisitions_{0};
  LockName& shared_;
  std::uint64_t random_;  // guarded by the mutex
  Durations waits_;
  Durations sampled_holds_;
  Durations holds_after_waits_;
  Buckets wait_buckets_{};
  Buckets hold_buckets_{};  // of all measured holds
  std::array<Holder, kHolders> holders_;

  const std::string name_;
  // One for all profiles, so that a fork can hold it. Never taken by a thread that waits for the
  // profiled mutex in the kernel or holds it.
  static std::mutex waiters_mutex_;
  std::map<std::vector<std::uintptr_t>, std::unique_ptr<Waiter>> waiters_;  // guarded by it

  // Links of the registry's list; guarded by the registry.
  LockProfile* previous_ = nullptr;
  LockProfile* next_ = nullptr;
};

}  // namespace fathom::diag
