// EventLoop: the turn: events, then timers, then jobs; and signals by signalfd.

#include "fathom/rt/net/event_loop.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"

namespace fathom::rt {

namespace {

// Jobs per turn: more than usually come together, but few enough that events do not wait long.
constexpr std::size_t kJobsAtOnce = 256;

// A turn that this thread executes, maybe within one of another loop.
class Turn {
 public:
  explicit Turn(const EventLoop& loop) noexcept
      : loop_(loop), outer_(std::exchange(innermost_, this)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { innermost_ = outer_; }

  // Whether this thread executes a turn of the loop.
  static bool is_of(const EventLoop& loop) noexcept {
    const Turn* turn = innermost_;
    while (turn != nullptr && &turn->loop_ != &loop) turn = turn->outer_;
    return turn != nullptr;
  }

 private:
  static thread_local const Turn* innermost_;

  const EventLoop& loop_;
  const Turn* const outer_;
};

thread_local const Turn* Turn::innermost_ = nullptr;

}  // namespace

struct EventLoop::Signals {
  Signals() { ::sigemptyset(&blocked); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() { ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr); }

  base::Fd descriptor;
  sigset_t blocked = {};  // those that were not blocked before
  UniqueFunction<void(int)> callback;
};

EventLoop::EventLoop() = default;
EventLoop::~EventLoop() = default;

void EventLoop::run() {
  run_turns(CancelToken());
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
  // Only wakes the loop: a stop() might come after the last turn, and would end a later run().
  const CancelCallback waking(token, [this] { wake_other(); });
  run_turns(token);
}

void EventLoop::run_turns(const CancelToken& token) {
  // [V1] acquire: what happened before stop() is visible to the caller of run().
  while (!stopping_.load(base::memory_order_acquire)) {
    if (token.cancelled()) return;
    run_once(Wait::yes);
  }
  stopping_.store(false, base::memory_order_relaxed);
}

bool EventLoop::run_once(Wait wanted) {
  if (Turn::is_of(*this))
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
  stopping_.store(true, base::memory_order_release);  // [V1]
  wake_other();
}

// No wake-up is needed on the loop's own thread: it checks the queue before its next wait.
void EventLoop::post(Job job) {
  if (!jobs_.push(std::move(job)) || Turn::is_of(*this)) return;
  wake_other();
}

void EventLoop::wake_other() noexcept {
  if (in_child()) return;  // it would wake the loop of the parent
  wakes_.fetch_add(1, base::memory_order_relaxed);
  wake();
}

void EventLoop::on_signals(const std::vector<int>& numbers, UniqueFunction<void(int)> callback) {
  if (signals_ != nullptr) throw std::logic_error("on_signals() was called before");
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) {
    // The kernel would ignore these two.
    const bool is_lost = number == SIGKILL || number == SIGSTOP;
    if (is_lost || ::sigaddset(&set, number) != 0) {
      throw base::SystemError("cannot wait for the signal " + std::to_string(number), EINVAL);
    }
  }
  auto signals = std::make_unique<Signals>();
  signals->callback = std::move(callback);
  signals->descriptor.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals->descriptor) throw base::SystemError("cannot wait for signals", errno);
  sigset_t before = {};
  const int error = ::pthread_sigmask(SIG_BLOCK, &set, &before);
  if (error != 0) throw base::SystemError("cannot block signals", error);
  for (const int number : numbers) {
    if (::sigismember(&before, number) == 0) ::sigaddset(&signals->blocked, number);
  }
  watch(signals->descriptor.get(), [this] { read_signals(); });
  signals_ = std::move(signals);
}

// One at a time, so that an exception of the callback loses none. Then looks again, because not
// every loop reports what is left.
void EventLoop::read_signals() {
  signalfd_siginfo info = {};
  if (::read(signals_->descriptor.get(), &info, sizeof info) != sizeof info) return;
  post([this] { read_signals(); });
  signals_->callback(static_cast<int>(info.ssi_signo));
}

EventLoop::Stats EventLoop::stats() const noexcept {
  Stats stats = stats_;
  stats.wakes = wakes_.load(base::memory_order_relaxed);
  return stats;
}

// Jobs that were posted on this thread did not wake the loop: see post().
EventLoop::Duration EventLoop::longest_wait(Wait wanted) noexcept {
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
  signals_.reset();
  do {
    timers_.clear();
  } while (jobs_.try_pop() || timers_.size() > 0);
}

}  // namespace fathom::rt
