// EventLoop: the turn: events, then timers, then jobs.

#include "fathom/rt/net/event_loop.h"

#include <optional>
#include <stdexcept>
#include <utility>

namespace fathom::rt {

namespace {

// Jobs per turn: more than usually come together, but few enough that events do not wait long.
constexpr std::size_t kJobsAtOnce = 256;

// The loop whose turn this thread executes.
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
  // [L1] acquire: what happened before stop() is visible to the caller of run().
  while (!stopping_.load(base::memory_order_acquire)) run_once(Wait::yes);
  stopping_.store(false, base::memory_order_relaxed);
}

void EventLoop::run(const CancelToken& token) {
  struct AtDeadline {
    AtDeadline(EventLoop& of, const CancelToken& token)
        : loop(of), timer(of.at(token.deadline(), [&] { token.expire(base::monotonic_now()); })) {}
    ~AtDeadline() { loop.cancel(timer); }
    AtDeadline(const AtDeadline&) = delete;
    AtDeadline& operator=(const AtDeadline&) = delete;
    EventLoop& loop;
    const Timer timer;
  };
  const AtDeadline at_deadline(*this, token);
  const CancelCallback stopping(token, [this] { stop(); });
  run();
}

bool EventLoop::run_once(Wait wanted) {
  if (current == this)
    throw std::logic_error("run_once() was called within a turn of the same loop");
  refuse_child();
  const Turn turn(*this);
  // Continues a turn that an exception interrupted.
  if (!in_turn_) begin_turn(wanted);
  bool any = has_events();
  dispatch();
  const std::size_t due = timers_.next() <= now_ ? timers_.run_due(now_) : 0;
  stats_.timers += due;
  const std::size_t jobs = run_jobs();
  any = any || due > 0 || jobs > 0;
  in_turn_ = false;
  if (observer_ != nullptr) observer_->turn_ends();
  return any;
}

void EventLoop::begin_turn(Wait wanted) {
  if (observer_ != nullptr) observer_->wait_begins();
  const std::size_t events = wait(longest_wait(wanted));
  now_ = base::monotonic_now();
  in_turn_ = true;
  ++stats_.waits;
  stats_.events += events;
  if (observer_ != nullptr) observer_->wait_ends(events);
}

void EventLoop::stop() noexcept {
  stopping_.store(true, base::memory_order_release);  // [L1]
  wake_other();
}

// No wake-up is needed on the loop's own thread: it checks the queue before its next wait.
void EventLoop::post(Job job) {
  if (!jobs_.push(std::move(job)) || current == this) return;
  wake_other();
}

void EventLoop::wake_other() noexcept {
  if (in_child()) return;  // it would wake the loop of the parent
  wakes_.fetch_add(1, base::memory_order_relaxed);
  wake();
}

EventLoop::Stats EventLoop::stats() const noexcept {
  Stats stats = stats_;
  stats.wakes = wakes_.load(base::memory_order_relaxed);
  return stats;
}

// Jobs that were posted on this thread did not wake the loop: see post().
EventLoop::Duration EventLoop::longest_wait(Wait wanted) const noexcept {
  if (wanted == Wait::no || !jobs_.empty()) return Duration::zero();
  const Time next = timers_.next();
  if (next == Time::max()) return Duration(-1);
  const Time now = base::monotonic_now();
  return next > now ? next - now : Duration::zero();
}

std::size_t EventLoop::run_jobs() {
  for (std::size_t count = 0; count < kJobsAtOnce; ++count) {
    std::optional<Job> job = jobs_.try_pop();
    if (!job) return count;
    ++stats_.jobs;
    (*job)();
  }
  return kJobsAtOnce;
}

void EventLoop::drop_all() noexcept {
  do {
    timers_.clear();
  } while (jobs_.try_pop() || timers_.size() > 0);
}

}  // namespace fathom::rt
