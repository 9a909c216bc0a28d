#include "fathom/rt/net/event_loop.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fathom::rt {

namespace {

// Jobs of a turn: more than come in one batch, few enough that events need not wait for long.
constexpr std::size_t kJobsAtOnce = 256;

// The loop whose turn this thread is in.
thread_local const EventLoop* current = nullptr;

class Turn {
 public:
  explicit Turn(const EventLoop& loop) noexcept : before_(std::exchange(current, &loop)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { current = before_; }

 private:
  const EventLoop* const before_;
};

}  // namespace

EventLoop::~EventLoop() = default;

void EventLoop::run() {
  // [L1] acquire: what happened before stop() is visible to who called run().
  while (!stopping_.load(base::memory_order_acquire)) run_once(Wait::yes);
  stopping_.store(false, base::memory_order_relaxed);
}

bool EventLoop::run_once(Wait wait_wanted) {
  const Turn turn(*this);
  if (!has_events()) {
    if (observer_ != nullptr) observer_->wait_begins();
    const std::size_t events = wait(longest_wait(wait_wanted));
    now_ = base::monotonic_now();
    ++stats_.waits;
    stats_.events += events;
    if (observer_ != nullptr) observer_->wait_ends(events);
  }
  bool any = has_events();
  dispatch();
  const std::size_t due = timers_.next() <= now_ ? timers_.run_due(now_) : 0;
  stats_.timers += due;
  const std::size_t jobs = run_jobs();
  stats_.jobs += jobs;
  any = any || due > 0 || jobs > 0;
  if (observer_ != nullptr) observer_->turn_ends();
  return any;
}

void EventLoop::stop() noexcept {
  stopping_.store(true, base::memory_order_release);  // [L1]
  wakes_.fetch_add(1, base::memory_order_relaxed);
  wake();
}

// Between its own post and its next wait, the loop looks at the queue.
void EventLoop::post(Job job) {
  if (!jobs_.push(std::move(job)) || current == this) return;
  wakes_.fetch_add(1, base::memory_order_relaxed);
  wake();
}

EventLoop::Stats EventLoop::stats() const noexcept {
  Stats stats = stats_;
  stats.wakes = wakes_.load(base::memory_order_relaxed);
  return stats;
}

// Whoever posts from now on finds the queue looked at to its end, and wakes the loop.
EventLoop::Duration EventLoop::longest_wait(Wait wanted) const noexcept {
  if (wanted == Wait::no || jobs_left_) return Duration::zero();
  const Time next = timers_.next();
  if (next == Time::max()) return Duration(-1);
  return std::max(Duration::zero(), Duration(next - base::monotonic_now()));
}

std::size_t EventLoop::run_jobs() {
  jobs_left_ = true;  // also where a job throws
  for (std::size_t count = 0; count < kJobsAtOnce; ++count) {
    const std::optional<Job> job = jobs_.try_pop();
    if (!job) {
      jobs_left_ = false;
      return count;
    }
    (*job)();
  }
  return kJobsAtOnce;
}

}  // namespace fathom::rt
