// EventLoop: what Reactor and Proactor have in common: one thread that waits for whatever comes
// next, runs timers, and jobs that other threads hand to it.
//
// One thread runs a loop at a time, and all but post() and stop() belongs to that thread, or to the
// one that prepares the loop before it runs. Everything that the loop calls is called by run(), on
// that thread; what it throws leaves run(), which may be called again and goes on with what was
// next, in the same turn. Nothing starves: a turn handles the events that one wait has brought,
// then the timers that are due, then no more than so many jobs.
//
//   Reactor loop;
//   loop.after(1s, [&] { report(); });
//   std::thread other([&] { loop.post([&] { show(result); }); });
//   loop.run();  // until stop()

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/rt/mpsc_queue.h"
#include "fathom/rt/net/timers.h"

namespace fathom::rt {

class TcpTransport;

// Looks on, for a profiler or a timeline; on the loop's thread. The calls must not throw.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void wait_begins() noexcept {}
  virtual void wait_ends(std::size_t /*events*/) noexcept {}
  virtual void turn_ends() noexcept {}
};

class EventLoop {
 public:
  using Time = Timers::Time;
  using Timer = Timers::Id;
  using Duration = std::chrono::nanoseconds;
  using Job = std::function<void()>;

  struct Stats {
    std::uint64_t waits = 0;   // returned from, each a wake-up if it slept
    std::uint64_t events = 0;  // that they brought
    std::uint64_t timers = 0;  // that were due
    std::uint64_t jobs = 0;    // that were posted, and have run
    std::uint64_t wakes = 0;   // by post() and stop(): fewer than posts where they come in batches
  };

  virtual ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Until stop(). Throws what a callback throws.
  void run();

  // One turn: waits until something is due at most, or not at all. Whether anything was. For hosts
  // with a loop of their own. Not within a turn: throws std::logic_error.
  enum class Wait : bool { no, yes };
  bool run_once(Wait wait);

  // Any thread, also a signal handler. Lets run() return after this turn; where none runs, the next
  // one at once.
  void stop() noexcept;

  // Any thread. The loop's thread calls the job, in the order of the posts of one thread; what
  // happened before post() is visible to it. Of many posts while the loop is busy only the first
  // wakes it. Jobs that are left when the loop is destroyed are destroyed without a call. Throws
  // std::bad_alloc.
  void post(Job job);

  // Times are those of the monotonic clock, and exact to about a millisecond: never early. What is
  // beyond the end of time is never.
  Timer at(Time deadline, Job job) { return timers_.set(deadline, std::move(job)); }
  Timer after(Duration duration, Job job) {
    return at(add(base::monotonic_now(), duration), std::move(job));
  }
  // Whether it had not been called yet, and will not be.
  bool cancel(Timer timer) noexcept { return timers_.cancel(timer); }
  [[nodiscard]] std::size_t timers() const noexcept { return timers_.size(); }

  // The moment so much later, or the end of time.
  template <class Rep, class Period>
  static Time add(Time time, std::chrono::duration<Rep, Period> duration) noexcept {
    using Unit = std::chrono::duration<Rep, Period>;
    if (duration > std::chrono::duration_cast<Unit>(Time::max() - time)) return Time::max();
    return time + duration;
  }

  // When this turn began: after its wait. Costs no look at the clock.
  [[nodiscard]] Time now() const noexcept { return now_; }

  [[nodiscard]] Stats stats() const noexcept;
  // Null: none, which costs nothing. It must outlive the loop, or its being observed.
  void observe(LoopObserver* observer) noexcept { observer_ = observer; }

 protected:
  EventLoop() = default;

  // Waits for events, but for no longer than that: how many there are. They are kept until
  // dispatch(). Negative: until there is one. Where it calls code of users, which may post, it does
  // not wait.
  virtual std::size_t wait(Duration most) = 0;
  // Calls whom the events that wait() has brought concern. Where a call throws, the next dispatch()
  // goes on behind it.
  virtual void dispatch() = 0;
  // Whether dispatch() has not come to the end.
  [[nodiscard]] virtual bool has_events() const noexcept = 0;
  // Any thread, also a signal handler: wait() returns soon, or the next one at once.
  virtual void wake() noexcept = 0;
  // Destroys the jobs and timers that are left, and those that their destructors make. What they
  // own may need the loop whole, so the destructors of loops begin with it.
  void drop_all() noexcept;
  // How a TcpServer on this loop does its I/O.
  virtual std::unique_ptr<TcpTransport> make_tcp_transport() = 0;

 private:
  friend class TcpServer;

  void begin_turn(Wait wanted);
  [[nodiscard]] Duration longest_wait(Wait wait) const noexcept;
  std::size_t run_jobs();

  Timers timers_;
  Time now_ = base::monotonic_now();
  LoopObserver* observer_ = nullptr;
  Stats stats_;
  MpscQueue<Job> jobs_;
  bool in_turn_ = false;                // it has waited, and not come to the turn's end since
  base::atomic<bool> stopping_{false};  // [L1]
  base::atomic<std::uint64_t> wakes_{0};
};

}  // namespace fathom::rt
