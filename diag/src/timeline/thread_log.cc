// ThreadLog: creating a thread's log, and ending it with the thread.

#include "timeline/thread_log.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <new>

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "fathom/base/clock.h"

namespace fathom::diag {

namespace {

constexpr std::size_t kLongestName = 31;

// State of the calling thread. Trivial, so that it is usable until the thread's very end.
constinit thread_local bool has_ended = false;
constinit thread_local std::array<char, kLongestName + 1> own_name{};

long system_id_of_this_thread() {
#ifdef __linux__
  return ::syscall(SYS_gettid);
#else
  return 0;
#endif
}

std::string name_of_this_thread() {
  if (own_name.front() != '\0') return own_name.data();
#ifdef __linux__
  std::array<char, 16> name{};  // the kernel's limit
  if (::pthread_getname_np(::pthread_self(), name.data(), name.size()) == 0) return name.data();
#endif
  return "thread";
}

}  // namespace

void ThreadLog::leave() noexcept {
  if (switches_ != nullptr) left_at_ = Recording::monotonic();
  // [T1] release: pairs with the acquire of left(): a reader that sees it sees all events.
  left_.store(true, base::memory_order_release);
}

bool ThreadLog::record_text(Event event, std::string_view text) noexcept {
  constexpr std::size_t kPart = sizeof(Event);
  std::array<Event, 1 + kLongestText / kPart> events;
  const std::size_t count = 1 + (text.size() + kPart - 1) / kPart;
  // The reader only makes more room: all of them fit, or none is written.
  if (ring_.capacity() - ring_.size_hint() < count) {
    lose();
    return false;
  }
  event.count = static_cast<std::uint32_t>(text.size());
  events[0] = event;
  for (std::size_t i = 1; i < count; ++i) {
    text.copy(reinterpret_cast<char*>(&events[i]), kPart, (i - 1) * kPart);
  }
  ring_.try_push_batch({events.data(), count});
  return fill(count);
}

ThreadLogs& ThreadLogs::all() noexcept {
  alignas(ThreadLogs) static std::array<std::byte, sizeof(ThreadLogs)> room;
  static ThreadLogs* const logs = new (room.data()) ThreadLogs;
  return *logs;
}

ThreadLogs::Leaver::~Leaver() {
  has_ended = true;
  if (own_ != nullptr) own_->leave();
  own_ = nullptr;
}

ThreadLog* ThreadLogs::make_own(Recording::State timeline) noexcept {
  if (has_ended) return nullptr;
  try {
    return make(timeline);
  } catch (const std::exception&) {
    return nullptr;
  }
}

ThreadLog* ThreadLogs::make(Recording::State timeline) {
  static thread_local const Leaver leaver;
  static_cast<void>(leaver);
  std::string name = name_of_this_thread();
  SwitchRefusal refusal;
  std::unique_ptr<SwitchLog> switches;
  if (switches_.load(base::memory_order_relaxed)) switches = SwitchLog::open(refusal);
  const std::lock_guard lock(mutex_);
  ++refusals_.threads;
  if (refusal.call != SwitchRefusal::Call::none && switches == nullptr) {
    ++refusals_.refused;
    refusals_.last = refusal;
  }
  auto log = std::make_unique<ThreadLog>(ring_events_, timeline, next_track_,
                                         system_id_of_this_thread(), std::move(switches));
  entries_.push_back({std::move(log), std::move(name)});
  ++next_track_;
  if (own_ != nullptr) own_->leave();
  own_ = entries_.back().log.get();
  return own_;
}

void ThreadLogs::give_own_name(std::string_view name) noexcept {
  own_name = {};
  std::copy_n(name.begin(), std::min(name.size(), kLongestName), own_name.begin());
  if (own_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.log.get() != own_) continue;
    try {
      entry.name = own_name.data();
      entry.is_new_name = true;
    } catch (const std::bad_alloc&) {
      // It keeps its previous name.
    }
  }
}

void ThreadLogs::begin(std::size_t ring_events, bool switches) {
  const std::lock_guard lock(mutex_);
  ring_events_ = ring_events;
  refusals_ = {};
  switches_.store(switches, base::memory_order_relaxed);
  next_track_ = 1;
  homeless_.store(0, base::memory_order_relaxed);
}

ThreadLogs::Refusals ThreadLogs::refusals() {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

std::vector<ThreadLog*> ThreadLogs::of(Recording::State timeline) {
  const std::lock_guard lock(mutex_);
  std::vector<ThreadLog*> logs;
  for (const Entry& entry : entries_) {
    if (entry.log->timeline() == timeline) logs.push_back(entry.log.get());
  }
  return logs;
}

std::optional<std::string> ThreadLogs::take_name(const ThreadLog& log) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.log.get() != &log || !entry.is_new_name) continue;
    entry.is_new_name = false;
    return entry.name;
  }
  return std::nullopt;
}

void ThreadLogs::free(const ThreadLog& log) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.log.get() == &log; });
}

void ThreadLogs::free_left() noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const Entry& entry) { return entry.log->left(); });
}

void ThreadLogs::wait(std::chrono::milliseconds most) noexcept {
  const rt::EventCount::Key key = wakes_.prepare_wait();
  if (wanted_.load(base::memory_order_relaxed)) {
    wakes_.cancel_wait(key);
  } else {
    wakes_.commit_wait_for(key, most);
  }
  // A read-modify-write, so that it does not clear a request that comes after the next check.
  static_cast<void>(wanted_.exchange(false, base::memory_order_acq_rel));
}

}  // namespace fathom::diag
