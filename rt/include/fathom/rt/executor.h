// Executor: threads that run tasks, each from its own deque, and steal where they have none.
//
// Guarantees: every task that submit() accepted runs exactly once, on a worker; all have run when
// the destructor returns. A worker runs its own newest task first, and at least every 61st time
// the oldest of those submitted from outside, if there is any, so neither waits for the other
// forever. Between tasks of different workers there is no order.
//
// A worker that waits within a task, for a TaskGroup, a fork or a loop, runs other tasks meanwhile,
// any of this executor's, those from outside only where there are no others. So no lock may be held
// across such a wait that another task may want, nothing kept by thread or worker_index() that one
// may change; and no task may wait for what another one is still to do, but for its own parts.
// Waiting may be nested as deep as one likes, within one executor: a worker that waits for another
// executor's tasks sleeps.
//
// Threads start when there is work for them, one after the other; where the system has no more to
// give, fewer do. They block all signals but those of faults, so signals reach the threads that the
// program started itself. A worker that finds nothing spins for some microseconds and then sleeps.
//
//   Executor executor({.threads = 4});
//   auto task = make_task([]() noexcept { work(); });
//   executor.submit(&task);
//
// Most users want a TaskGroup on top: it waits, and hands on exceptions.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/observer.h"
#include "fathom/rt/task.h"

namespace fathom::rt {

// Tasks in the order of their arrival, from any thread to any thread: a list through the tasks
// themselves, so that adding one cannot fail, behind a lock that is held for a few instructions.
class InjectionQueue {
 public:
  void push(Task& task) noexcept;
  // The oldest; null when there is none.
  Task* pop() noexcept;
  // A hint; after a seq_cst fence it sees each push that came before another thread's.
  bool empty() const noexcept { return size_hint() == 0; }
  // How many there are; the same.
  std::size_t size_hint() const noexcept { return size_.load(base::memory_order_relaxed); }

 private:
  alignas(base::kCacheLine) base::atomic<std::size_t> size_{0};  // written under mutex_
  std::mutex mutex_;
  Task* oldest_ = nullptr;  // guarded by mutex_
  Task* newest_ = nullptr;  // guarded by mutex_; meaningful only if oldest_ is not null
};

class Executor {
 public:
  // Makes a thread that runs the function; throws std::system_error when there can be none.
  using StartThread = std::function<std::thread(std::function<void()>)>;

  struct Options {
    unsigned threads = 0;           // at most so many, before grow(); 0: default_concurrency()
    unsigned max_threads = 0;       // at most so many, ever; at least `threads`
    std::string name = "fathom";    // of the threads, as a debugger shows them
    StartThread start_thread = {};  // for tests and hosts with threads of their own; default: std's
    const Observer* observer = nullptr;  // is told what workers do; null: nobody
  };

  Executor();  // with default options
  explicit Executor(Options options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs all tasks that were submitted, and all that those submit, then ends the threads. No thread
  // but its own workers may use the executor any more.
  //
  //  1. From now on no further thread starts, so there is a last worker.
  //  2. All sleeping workers are woken. Each looks for work and sleeps again.
  //  3. The worker whose sleep would leave all asleep, with no task in any queue, ends the work: a
  //     task could only come from a running one.
  //  4. It wakes all, and all return.
  //  5. The destructor joins them.
  ~Executor();

  // Lets a worker run the task, once. Throws base::Error if there is no worker and none can be
  // started; the task is still the caller's then. On a worker of this executor it never throws.
  //
  // From a worker: goes to its own deque, without any shared write unless another worker is idle.
  // What happened before submit() is visible to the task.
  void submit(Task* task);

  // Whether some worker has nothing to do, or has not started yet: a hint, without any order, that
  // it is worth splitting work. Costs a few loads.
  [[nodiscard]] bool wants_work() const noexcept;

  // The same for a worker, but false while its own deque holds enough for all others. Also false
  // on any other thread.
  [[nodiscard]] bool wants_split() const noexcept;

  // Whether a worker should split what it begins, although it may be that nobody is idle yet: while
  // its deque holds less than gives all others something by halves. False on any other thread.
  [[nodiscard]] bool wants_first_split() const noexcept;

  // Raises the number of threads, while running, up to max_threads. Never lowers it.
  void grow(unsigned threads);

  // How many threads there may be now. When the system refuses one, it falls to what there is.
  [[nodiscard]] unsigned threads() const noexcept;
  [[nodiscard]] unsigned max_threads() const noexcept { return max_threads_; }
  // How many there are.
  [[nodiscard]] unsigned started_threads() const noexcept;

  // How many tasks wait to be run, at about this time: a hint, without any order. Costs some loads
  // for each worker.
  [[nodiscard]] std::size_t queued_hint() const noexcept;

  // The number of the calling worker, below max_threads() of its executor; -1 on other threads.
  [[nodiscard]] static int worker_index() noexcept;

  // Whether the calling thread is a worker of this executor.
  [[nodiscard]] bool on_worker() const noexcept { return current_worker() != nullptr; }

 private:
  friend class Fork;
  friend class TaskGroup;
  struct Worker;

  // For Fork. Puts the task into the calling worker's deque: false if it is none, or has no room.
  bool offer(Task& task) noexcept;
  // The worker that offered the task, which is done when `pending` is 0. True if it was still in
  // the worker's deque, and is out of it now; otherwise waits until it is done.
  bool take_back(Task& task, const base::atomic<std::size_t>& pending) noexcept;

  // For TaskGroup, whose count of unfinished tasks is `pending`. Waits until it is 0 or until the
  // deadline: whether it is 0, with acquire. A worker of this executor runs tasks meanwhile.
  using Deadline = std::chrono::steady_clock::time_point;
  bool wait_for_zero(const base::atomic<std::size_t>& pending, const Deadline* deadline);
  bool help_until_zero(Worker& worker, const base::atomic<std::size_t>& pending,
                       const Deadline* deadline);
  void help_sleep(const base::atomic<std::size_t>& pending, const Deadline* deadline);
  void park(EventCount& events, EventCount::Key key, const Deadline* deadline) noexcept;
  static bool commit_wait(EventCount& events, EventCount::Key key, const Deadline* deadline);
  // Some count has become 0. Touches nothing but the executor.
  void announce_zero() noexcept;

  // Whether a worker begins to search because it was woken, or may have been.
  enum class Woken : bool { no, yes };
  // When a search asks for the tasks from outside.
  enum class Order : bool { outside_first, outside_last };

  Worker* current_worker() const noexcept;
  bool start_one() noexcept;
  void require_worker();
  void wake_for_work() noexcept;
  bool can_wake() const noexcept;
  void wake_one() noexcept;
  void unmark_waking() noexcept;
  bool has_work() const noexcept;

  void work(Worker& worker) noexcept;
  void run(Task& task) const noexcept;
  void run_observed(Task& task) const noexcept;
  Task* take(Worker& worker) noexcept;
  Task* take_nested(Worker& worker) noexcept;
  Task* search(Worker& worker, Woken woken, Order order) noexcept;
  unsigned begin_search(Woken woken) noexcept;
  void end_search() noexcept;
  Task* sweep(Worker& worker, Order order) noexcept;
  bool sleep() noexcept;

  // Fixed, or written only while threads start.
  const unsigned max_threads_;
  const Observer* const observer_;  // null: none
  const bool spins_;                // whether spinning can pay: there is more than one processor
  const std::string name_;
  const StartThread start_thread_;
  // The first started_ of them exist.
  const std::unique_ptr<std::unique_ptr<Worker>[]> workers_;
  // [X1] release after the worker was made; acquire before one is looked at.
  base::atomic<unsigned> started_{0};
  base::atomic<unsigned> threads_;  // how many there may be; written under start_mutex_
  std::mutex start_mutex_;          // held while a thread starts

  InjectionQueue injected_;

  // Who has nothing to do. All that is written here is written by idle workers and those that wake
  // them.
  //
  // No task is forgotten: whoever adds one passes a seq_cst fence [X2] and then sees a sleeper to
  // wake, or sees searching_ or waking_ set. Whoever takes its mark back, from searching_ or
  // waking_ or on the way to sleep, passes a seq_cst fence afterwards [X2] and then looks into all
  // queues.
  alignas(base::kCacheLine) base::atomic<unsigned> searching_{0};  // workers that look for work
  base::atomic<bool> waking_{false};    // somebody was woken or started, and has not looked yet
  base::atomic<unsigned> asleep_{0};    // workers in sleep(), outside of any task
  base::atomic<unsigned> helping_{0};   // workers that sleep in a TaskGroup's wait
  base::atomic<bool> stopping_{false};  // step 1 of the destructor; set under start_mutex_
  base::atomic<bool> finished_{false};  // step 3
  EventCount idle_;                     // workers sleep here
  EventCount zero_;                     // other threads that wait for a TaskGroup sleep here
};

}  // namespace fathom::rt
