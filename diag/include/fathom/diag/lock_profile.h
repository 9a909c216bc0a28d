// LockProfile: what a profiled mutex has seen. Its own part of the work; lock_report.h is for
// users.

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

namespace fathom::diag {

struct LockUsage;

// A call of lock(): the instruction, and the one that its function returns to.
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

// All who wait at a time, in one word: how many they are, and the sum of the moments at which they
// began. So what they have waited until some moment, together, is one multiplication away. Right as
// long as fewer than 2^14 wait, and together less than 2^49 ns (6 days).
class LockWaits {
 public:
  explicit LockWaits(std::uint64_t word) noexcept : word_(word) {}

  // To be added for who begins to wait then, and subtracted when that has an end.
  static std::uint64_t one(std::uint64_t began) noexcept { return began << kCountBits | 1; }

  [[nodiscard]] std::size_t count() const noexcept { return word_ & ((1U << kCountBits) - 1); }

  // What they have waited together, in nanoseconds.
  [[nodiscard]] std::uint64_t until(std::uint64_t now) const noexcept {
    const std::uint64_t waited = count() * now - (word_ >> kCountBits);
    const std::uint64_t modulo = waited << kCountBits >> kCountBits;
    // Clocks of two processors may differ by so little that less than nothing was waited.
    return modulo >> (63U - kCountBits) != 0 ? 0 : modulo;
  }

 private:
  static constexpr unsigned kCountBits = 14;

  std::uint64_t word_;
};

class LockProfile {
 public:
  // A wait below this is counted without its stack.
  static constexpr std::chrono::nanoseconds kLongWait = std::chrono::microseconds(10);
  // Element i counts durations of 2^i to 2^(i+1) - 1 ns; the first those below, the last those
  // above, too.
  static constexpr std::size_t kBuckets = 40;
  using Histogram = std::array<std::uint64_t, kBuckets>;

  // Who has waited, by the calls that led there.
  struct Waiter {
    base::Stack stack;
    // Written by who has the mutex.
    base::atomic<std::uint64_t> waits{0};
    base::atomic<std::uint64_t> ns{0};
    base::atomic<std::uint64_t> most_ns{0};
  };

  LockProfile(std::string_view name, base::SourceLocation where);
  // What was seen is kept for reports, by the name.
  ~LockProfile();
  LockProfile(const LockProfile&) = delete;
  LockProfile& operator=(const LockProfile&) = delete;

  // ---- Of the thread that has the mutex.

  void count_acquisition() noexcept { add(acquisitions_, 1); }
  // The waiter may be null.
  void count_wait(std::uint64_t ns, Waiter* waiter) noexcept;
  void count_hold(std::uint64_t ns, bool sampled) noexcept;
  // While it held the mutex, which it took there, others have waited for so long.
  void blame(CallSite site, std::uint64_t ns) noexcept;
  // How many acquisitions until one is sampled, `every` on average.
  std::uint32_t next_sample(std::uint32_t every) noexcept;

  // ---- Of any thread.

  // The calling one, which is about to wait; null if there are too many, or no memory.
  Waiter* waiter() noexcept;
  // What a timeline calls a wait for it. Lives as long as the program.
  [[nodiscard]] const char* span_name() const noexcept { return span_name_; }
  // Whether looking again can pay: there is more than one processor.
  [[nodiscard]] static bool spins() noexcept { return kSpins; }

  // Adds what was seen so far to that of others of the same name.
  void add_to(LockUsage& usage) const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  friend class LockRegistry;

  // Others have waited while threads of this name that took it there had it.
  struct Holder {
    base::atomic<std::uint32_t> thread{0};  // its name's number; 0: nobody. Written last.
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

  static constexpr std::size_t kHolders = 64;  // the last one is of all that have no place
  static constexpr std::size_t kMostWaiters = 256;

  // By the only writer.
  static void add(base::atomic<std::uint64_t>& sum, std::uint64_t by) noexcept {
    sum.store(sum.load(base::memory_order_relaxed) + by, base::memory_order_relaxed);
  }
  static void count_in(Buckets& buckets, std::uint64_t ns) noexcept;
  Holder& holder_of(std::uint32_t thread, CallSite site) noexcept;

  static const bool kSpins;

  // Written by who has the mutex, read by reports at any time.
  base::atomic<std::uint64_t> acquisitions_{0};
  const char* const span_name_;
  std::uint64_t random_;  // guarded by the mutex
  Durations waits_;
  Durations sampled_holds_;
  Durations holds_after_waits_;
  Buckets wait_buckets_{};
  Buckets hold_buckets_{};  // of all holds that were measured
  std::array<Holder, kHolders> holders_;

  const std::string name_;
  // Of all profiles together, so that a fork can hold it. Never taken by who waits in the mutex or
  // has it.
  static std::mutex waiters_mutex_;
  std::map<std::vector<std::uintptr_t>, std::unique_ptr<Waiter>> waiters_;  // guarded by it

  // In the registry's list; guarded by the registry.
  LockProfile* previous_ = nullptr;
  LockProfile* next_ = nullptr;
};

}  // namespace fathom::diag
