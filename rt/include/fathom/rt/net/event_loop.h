// EventLoop: the common base of Reactor and Proactor. One thread waits for events, runs timers, and
// runs jobs that other threads post.
//
// One thread at a time runs a loop. Everything except post() and stop() belongs to that thread, or
// to the thread that prepares the loop before it runs. run() makes all callbacks, on its thread; an
// exception from a callback leaves run(), which may be called again and continues where it stopped,
// in the same turn. Nothing starves: a turn handles the events of one wait, then the timers that
// are due, then a limited number of jobs.
//
// A child of fork() shares the descriptors of the loop with its parent. So there a copy of the loop
// cannot run: what would run it or wait for a descriptor throws base::Error, and posted jobs are
// destroyed with the loop. Stopping and destroying it, and a TcpServer on it, leaves the parent
// alone; connections are not reset, because the parent has them, too.
//
//   Reactor loop;
//   loop.after(1s, [&] { report(); });
//   std::thread other([&] { loop.post([&] { show(result); }); });
//   loop.run();  // until stop()

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/detail/fork_check.h"
#include "fathom/rt/mpsc_queue.h"
#include "fathom/rt/net/timers.h"
#include "fathom/rt/unique_function.h"

namespace fathom::rt {

class TcpTransport;

// Notified by the loop, for a profiler or a timeline, on the loop's thread. The calls must not
// throw.
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
  using Job = UniqueFunction<void()>;

  struct Stats {
    std::uint64_t waits = 0;   // that returned; each is a wake-up if it slept
    std::uint64_t events = 0;  // returned by waits
    std::uint64_t timers = 0;  // that expired and were called
    std::uint64_t jobs = 0;    // that were posted and have run
    std::uint64_t wakes = 0;   // by post(), stop() and tokens; fewer than posts in batches
  };

  virtual ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs turns until stop(). Throws what a callback throws, and base::Error in a child of fork().
  void run();
  // The same; stops when the token is cancelled, or reaches its deadline. That ends no later run().
  void run(const CancelToken& token);

  // Runs one turn: waits until something is due, or does not wait at all. Returns whether anything
  // was due. For hosts with their own loop. Throws std::logic_error if called within a turn of this
  // loop, even if a turn of another loop is in between.
  enum class Wait : bool { no, yes };
  bool run_once(Wait wait);

  // Any thread, and signal handlers. Makes run() return after this turn; if the loop is not
  // running, the next run() returns immediately.
  void stop() noexcept;

  // Any thread. Queues a job for the loop's thread. Jobs of one thread run in the order of their
  // posts, and see what happened before post(). While the loop is busy, only the first of many
  // posts wakes it. Jobs that are left when the loop is destroyed are destroyed without being
  // called. Throws std::bad_alloc.
  void post(Job job);

  // Deadlines use the monotonic clock. A timer is never early, and late by about a millisecond at
  // most if the loop is idle. A deadline that overflows means never, in any unit of the duration.
  Timer at(Time deadline, Job job) { return timers_.set(deadline, std::move(job)); }
  template <class Rep, class Period>
  Timer after(std::chrono::duration<Rep, Period> duration, Job job) {
    return at(base::deadline_after(base::monotonic_now(), duration), std::move(job));
  }
  // True if the timer had not been called yet; it will then not be called.
  bool cancel(Timer timer) noexcept { return timers_.cancel(timer); }
  [[nodiscard]] std::size_t timers() const noexcept { return timers_.size(); }

  // Calls the callback with the number of each of these signals, on the loop's thread; several
  // signals of one number may count as one. Blocks the signals on this thread; other threads must
  // have them blocked too, so call this before starting them. Destroy the loop on the same thread:
  // the destructor unblocks, for the thread that calls it, those that were not blocked before. Call
  // at most once: throws std::logic_error otherwise, and base::SystemError, for example EINVAL for
  // a number that is not a signal, SIGKILL and SIGSTOP.
  void on_signals(const std::vector<int>& numbers, UniqueFunction<void(int)> callback);

  // The time when this turn began, after its wait. Does not read the clock.
  [[nodiscard]] Time now() const noexcept { return now_; }

  [[nodiscard]] Stats stats() const noexcept;
  // Null, the default, costs nothing. The observer must outlive the loop, or be removed before.
  void observe(LoopObserver* observer) noexcept { observer_ = observer; }

 protected:
  EventLoop();

  // Whether this is the copy in a child of fork(), which must not change what it shares.
  [[nodiscard]] bool in_child() const noexcept { return fork_check_.in_child(); }
  // Throws base::Error then.
  void refuse_child() const { fork_check_.refuse_child("this event loop"); }

  // Waits for events for at most the given duration and returns their number; negative: until there
  // is one. The events are kept until dispatch(). If it calls user code, which may post, it does
  // not wait.
  virtual std::size_t wait(Duration most) = 0;
  // Runs the callbacks of the events that wait() returned. If a callback throws, the next
  // dispatch() continues after it.
  virtual void dispatch() = 0;
  // Whether events are left to dispatch.
  [[nodiscard]] virtual bool has_events() const noexcept = 0;
  // Any thread, and signal handlers: makes wait() return soon, or the next wait() immediately.
  virtual void wake() noexcept = 0;
  // Calls the function in a turn after the descriptor became readable, until the loop is destroyed.
  // If the function leaves something to read, the loop may call it again or not. Throws
  // base::SystemError, std::bad_alloc.
  virtual void watch(int descriptor, UniqueFunction<void()> readable) = 0;
  // Destroys the remaining jobs and timers, the callback for signals, and the jobs and timers that
  // their destructors create. What they own may need a complete loop, so the destructors of derived
  // classes call this first.
  void drop_all() noexcept;
  // How a TcpServer on this loop does its I/O.
  virtual std::unique_ptr<TcpTransport> make_tcp_transport() = 0;

 private:
  friend class TcpServer;
  struct Signals;

  void run_turns(const CancelToken& token);
  void wake_other() noexcept;
  void read_signals();
  void begin_turn(Wait wanted);
  [[nodiscard]] Duration longest_wait(Wait wait) noexcept;
  std::size_t run_jobs();

  const detail::ForkCheck fork_check_;
  Timers timers_;
  Time now_ = base::monotonic_now();
  LoopObserver* observer_ = nullptr;
  std::unique_ptr<Signals> signals_;
  Stats stats_;
  MpscQueue<Job> jobs_;
  bool in_turn_ = false;                // between the wait and the end of the turn
  base::atomic<bool> stopping_{false};  // [V1]
  base::atomic<std::uint64_t> wakes_{0};
};

}  // namespace fathom::rt
