// LockProfile: counters, sampling of holds, and stacks of waiters.

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>
#include <thread>

#include "fathom/base/clock.h"
#include "fathom/diag/lock_profile.h"
#include "fathom/diag/lock_report.h"
#include "lock/registry.h"
#include "lock/thread_names.h"

// ThreadSanitizer does not know pthread_mutex_clocklock(), and would not see the lock. Without it,
// a wait by the system's time takes as much longer as that is set back.
#if defined(_GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK) && !defined(_GLIBCXX_TSAN)
#define FATHOM_LOCKS_BY_MONOTONIC_CLOCK
#endif

namespace fathom::diag {

namespace {

std::string name_of(std::string_view name, base::SourceLocation where) {
  if (!name.empty()) return std::string(name);
  const std::string_view file = where.file();
  const std::size_t slash = file.rfind('/');
  return std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) + ':' +
         std::to_string(where.line());
}

std::chrono::nanoseconds duration(const base::atomic<std::uint64_t>& ns) {
  return std::chrono::nanoseconds(ns.load(base::memory_order_relaxed));
}

// A return address belongs to the call before it.
base::Stack stack_of(std::uintptr_t address, std::uintptr_t caller) {
  const std::array<std::uintptr_t, 2> frames = {address == 0 ? caller - 1 : address, caller - 1};
  const std::size_t first = address == 0 ? 1 : 0;
  return base::Stack::of(std::span(frames).subspan(first));
}

bool same_calls(const base::Stack& a, const base::Stack& b) {
  return std::equal(a.frames().begin(), a.frames().end(), b.frames().begin(), b.frames().end());
}

void add_holder(LockUsage& usage, LockUsage::Holder holder) {
  for (LockUsage::Holder& known : usage.holders) {
    if (known.thread != holder.thread || !same_calls(known.site, holder.site)) continue;
    known.holds += holder.holds;
    known.blocked += holder.blocked;
    return;
  }
  usage.holders.push_back(std::move(holder));
}

void add_waiter(LockUsage& usage, LockUsage::Waiter waiter) {
  for (LockUsage::Waiter& known : usage.waiters) {
    if (!same_calls(known.stack, waiter.stack)) continue;
    known.waits += waiter.waits;
    known.waited += waiter.waited;
    known.longest = std::max(known.longest, waiter.longest);
    return;
  }
  usage.waiters.push_back(std::move(waiter));
}

timespec timespec_of(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

// Whether the mutex could be locked in time. May return earlier.
bool lock_within(std::mutex& mutex, std::chrono::nanoseconds time) {
  constexpr std::chrono::nanoseconds kMost = std::chrono::hours(1);
  const std::chrono::nanoseconds left = std::min(time, kMost);
#ifdef FATHOM_LOCKS_BY_MONOTONIC_CLOCK
  const timespec deadline = timespec_of(std::chrono::steady_clock::now().time_since_epoch() + left);
  return ::pthread_mutex_clocklock(mutex.native_handle(), CLOCK_MONOTONIC, &deadline) == 0;
#else
  const timespec deadline = timespec_of(std::chrono::system_clock::now().time_since_epoch() + left);
  return ::pthread_mutex_timedlock(mutex.native_handle(), &deadline) == 0;
#endif
}

// Differs from lock to lock. Not by their addresses: a lock that is created again and again at the
// same place would always be sampled at the same acquisitions.
std::uint64_t first_random() noexcept {
  static base::atomic<std::uint64_t> locks{0};
  return locks.fetch_add(1, base::memory_order_relaxed) * 0x9e3779b97f4a7c15U | 1;
}

}  // namespace

std::mutex LockProfile::waiters_mutex_;
const bool LockProfile::kSpins = std::thread::hardware_concurrency() != 1;

LockProfile::LockProfile(std::string_view name, base::SourceLocation where)
    : shared_(LockRegistry::all().name(name_of(name, where))),
      random_(first_random()),
      name_(name_of(name, where)) {
  LockRegistry::all().enter(*this);
}

LockProfile::~LockProfile() {
  LockRegistry::all().leave(*this);
}

void LockProfile::lock(std::mutex& mutex, std::uint64_t ns) {
  const auto began = base::monotonic_now() - std::chrono::nanoseconds(ns);
  for (;;) {
    const std::chrono::nanoseconds waited = base::monotonic_now() - began;
    const std::chrono::nanoseconds left(shared_.longest_wait.limit() - waited.count());
    if (left.count() < 0) {
      break_after(static_cast<std::uint64_t>(waited.count()));
      return mutex.lock();
    }
    if (lock_within(mutex, left)) return;
  }
}

void LockProfile::break_after(std::uint64_t ns) noexcept {
  const auto waited = static_cast<std::int64_t>(ns);
  const std::optional<std::int64_t> limit = shared_.longest_wait.take(waited);
  if (!limit) return;
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(),
                "lock '%.80s' was waited for %" PRId64 " ns, more than %" PRId64, name_.c_str(),
                waited, *limit);
  BreakLimit::stop(text.data());
}

void LockProfile::Durations::add(std::uint64_t more) noexcept {
  LockProfile::add(count, 1);
  LockProfile::add(ns, more);
  if (more > most_ns.load(base::memory_order_relaxed)) {
    most_ns.store(more, base::memory_order_relaxed);
  }
}

void LockProfile::count_in(Buckets& buckets, std::uint64_t ns) noexcept {
  const auto bucket = static_cast<std::size_t>(std::bit_width(ns | 1U) - 1U);
  add(buckets[std::min(bucket, kBuckets - 1)], 1);
}

void LockProfile::count_wait(std::uint64_t ns, Waiter* waiter) noexcept {
  waits_.add(ns);
  count_in(wait_buckets_, ns);
  if (waiter == nullptr || ns < static_cast<std::uint64_t>(kLongWait.count())) return;
  add(waiter->waits, 1);
  add(waiter->ns, ns);
  if (ns > waiter->most_ns.load(base::memory_order_relaxed)) {
    waiter->most_ns.store(ns, base::memory_order_relaxed);
  }
}

void LockProfile::count_hold(std::uint64_t ns, bool sampled) noexcept {
  (sampled ? sampled_holds_ : holds_after_waits_).add(ns);
  count_in(hold_buckets_, ns);
}

void LockProfile::blame(CallSite site, std::uint64_t ns) noexcept {
  Holder& holder = holder_of(own_thread_name(), site);
  add(holder.holds, 1);
  add(holder.ns, ns);
}

LockProfile::Holder& LockProfile::holder_of(std::uint32_t thread, CallSite site) noexcept {
  Holder& others = holders_.back();
  if (thread == 0) return others;
  const std::uintptr_t mixed = (site.address ^ site.caller * 31 ^ thread) * 0x9e3779b97f4a7c15U;
  constexpr std::size_t kPlaces = kHolders - 1;
  std::size_t at = (mixed >> 32U) % kPlaces;
  for (std::size_t looked = 0; looked < kPlaces; ++looked, at = (at + 1) % kPlaces) {
    Holder& holder = holders_[at];
    const std::uint32_t known = holder.thread.load(base::memory_order_relaxed);
    if (known == 0) {
      holder.address.store(site.address, base::memory_order_relaxed);
      holder.caller.store(site.caller, base::memory_order_relaxed);
      // [L1] release: pairs with the acquire in add_to(), which sees the site then.
      holder.thread.store(thread, base::memory_order_release);
      return holder;
    }
    if (known == thread && holder.address.load(base::memory_order_relaxed) == site.address &&
        holder.caller.load(base::memory_order_relaxed) == site.caller) {
      return holder;
    }
  }
  return others;
}

std::uint32_t LockProfile::next_sample(std::uint32_t every) noexcept {
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 7U;
  random_ ^= random_ << 17U;
  return 1 + static_cast<std::uint32_t>(random_ % (2 * std::uint64_t{every} - 1));
}

LockProfile::Waiter* LockProfile::waiter() noexcept {
  static_cast<void>(own_thread_name());  // one system call, better now than while holding the mutex
  base::Stack stack = base::Stack::here();
  try {
    std::vector<std::uintptr_t> frames(stack.frames().begin(), stack.frames().end());
    const std::lock_guard lock(waiters_mutex_);
    const auto at = waiters_.find(frames);
    if (at != waiters_.end()) return at->second.get();
    if (waiters_.size() == kMostWaiters) return nullptr;
    auto waiter = std::make_unique<Waiter>();
    waiter->stack = std::move(stack);
    return waiters_.emplace(std::move(frames), std::move(waiter)).first->second.get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void LockProfile::add_to(LockUsage& usage) const {
  ++usage.locks;
  usage.acquisitions += acquisitions_.load(base::memory_order_relaxed);
  const std::uint64_t waits = waits_.count.load(base::memory_order_relaxed);
  usage.waits += waits;
  usage.waited += duration(waits_.ns);
  usage.longest_wait = std::max(usage.longest_wait, duration(waits_.most_ns));
  const std::uint64_t sampled = sampled_holds_.count.load(base::memory_order_relaxed);
  usage.measured_holds += sampled + holds_after_waits_.count.load(base::memory_order_relaxed);
  usage.held += duration(holds_after_waits_.ns);
  if (sampled != 0) {
    const std::uint64_t at_once = acquisitions_.load(base::memory_order_relaxed) - waits;
    usage.held += std::chrono::nanoseconds(
        static_cast<std::int64_t>(static_cast<double>(duration(sampled_holds_.ns).count()) /
                                  static_cast<double>(sampled) * static_cast<double>(at_once)));
  }
  usage.longest_hold = std::max(
      {usage.longest_hold, duration(sampled_holds_.most_ns), duration(holds_after_waits_.most_ns)});
  for (std::size_t i = 0; i < kBuckets; ++i) {
    usage.wait_histogram[i] += wait_buckets_[i].load(base::memory_order_relaxed);
    usage.hold_histogram[i] += hold_buckets_[i].load(base::memory_order_relaxed);
  }
  for (const Holder& holder : holders_) {
    const std::uint32_t thread = holder.thread.load(base::memory_order_acquire);  // [L1]
    if (holder.holds.load(base::memory_order_relaxed) == 0) continue;
    LockUsage::Holder seen;
    seen.thread = thread_name(thread);
    if (thread != 0) {
      seen.site = stack_of(holder.address.load(base::memory_order_relaxed),
                           holder.caller.load(base::memory_order_relaxed));
    }
    seen.holds = holder.holds.load(base::memory_order_relaxed);
    seen.blocked = duration(holder.ns);
    add_holder(usage, std::move(seen));
  }
  const std::lock_guard lock(waiters_mutex_);
  for (const auto& [frames, waiter] : waiters_) {
    if (waiter->waits.load(base::memory_order_relaxed) == 0) continue;
    add_waiter(usage, {.stack = waiter->stack,
                       .waits = waiter->waits.load(base::memory_order_relaxed),
                       .waited = duration(waiter->ns),
                       .longest = duration(waiter->most_ns)});
  }
}

}  // namespace fathom::diag
