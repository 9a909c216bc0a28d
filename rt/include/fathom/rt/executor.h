// Executor: a work-stealing thread pool with one deque per worker.
//
// Guarantees: every task that submit() accepted runs exactly once, on a worker; all tasks have run
// when the destructor returns. A worker runs its own newest task first, and at least every 61st
// time the oldest task submitted from outside, if there is one, so neither kind starves. Tasks of
// different workers are not ordered.
//
// A worker that waits within a task, for a TaskGroup, a fork or a loop, runs other tasks of this
// executor meanwhile; tasks from outside only if there are no others. Therefore, across such a
// wait, do not hold a lock that another task may need, and do not rely on thread-local or
// per-worker state that another task may change; and a task must not wait for work of another task,
// except for its own subtasks. Waits within one executor may be nested to any depth: a worker that
// waits for tasks of another executor sleeps.
//
// Threads start one by one, when there is work for them; if the system refuses one, the executor
// runs with fewer. They block all signals except synchronous faults, so signals go to the threads
// that the program started itself. A worker that finds no work spins for some microseconds and then
// sleeps.
//
//   Executor executor({.threads = 4});
//   auto task = make_task([]() noexcept { work(); });
//   executor.submit(&task);
//
// Most users want a TaskGroup on top: it waits for tasks and passes on exceptions.

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

// A FIFO queue of tasks from any thread to any thread: an intrusive list, so that adding cannot
// fail, behind a lock that is held for a few instructions.
class InjectionQueue {
 public:
  void push(Task& task) noexcept;
  // The oldest task; null if the queue is empty.
  Task* pop() noexcept;
  // A hint; after a seq_cst fence it sees each push that precedes another thread's seq_cst fence.
  bool empty() const noexcept { return size_hint() == 0; }
  // The number of tasks; a hint in the same sense.
  std::size_t size_hint() const noexcept { return size_.load(base::memory_order_relaxed); }

 private:
  alignas(base::kCacheLine) base::atomic<std::size_t> size_{0};  // written under mutex_
  std::mutex mutex_;
  Task* oldest_ = nullptr;  // guarded by mutex_
  Task* newest_ = nullptr;  // guarded by mutex_; meaningful only if oldest_ is not null
};

class Executor {
 public:
  // Starts a thread that runs the function; throws std::system_error on failure.
  using StartThread = std::function<std::thread(std::function<void()>)>;

  struct Options {
    unsigned threads = 0;           // the limit until grow() raises it; 0: default_concurrency()
    unsigned max_threads = 0;       // the limit for grow(); at least `threads`
    std::string name = "fathom";    // of the threads, as debuggers show it
    StartThread start_thread = {};  // for tests and hosts with their own threads; default: std's
    const Observer* observer = nullptr;  // is notified of what workers do; null: none
  };

  Executor();  // with default options
  explicit Executor(Options options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs all submitted tasks, and all tasks that those submit, then ends the threads. No thread
  // except its own workers may use the executor any more.
  //
  //  1. No further thread starts, so there is a last worker.
  //  2. All sleeping workers are woken. Each searches for work and sleeps again.
  //  3. When a worker is about to sleep, all others are asleep and all queues are empty, the work
  //     has ended: only a running task could submit another.
  //  4. That worker wakes all others, and all return.
  //  5. The destructor joins them.
  ~Executor();

  // Queues the task to run once on a worker. Throws base::Error if there is no worker and none can
  // be started; the caller then still owns the task. On a worker of this executor it never throws.
  //
  // From a worker: pushes to its own deque, without any shared write unless another worker is idle.
  // What happened before submit() is visible to the task.
  void submit(Task* task);

  // Whether some worker is idle or has not started yet: a hint, without memory order, that
  // splitting work pays. Costs a few loads.
  [[nodiscard]] bool wants_work() const noexcept;

  // The same for a worker, but false if its own deque holds enough tasks for all others. False on
  // threads that are not workers.
  [[nodiscard]] bool wants_split() const noexcept;

  // Whether a worker should split a range that it begins, even if nobody is idle yet: while its
  // deque holds fewer tasks than would supply all others by halving. False on threads that are not
  // workers.
  [[nodiscard]] bool wants_first_split() const noexcept;

  // Raises the limit of threads at run time, up to max_threads. Never lowers it.
  void grow(unsigned threads);

  // The current limit of threads. If the system refuses a thread, it falls to the number started.
  [[nodiscard]] unsigned threads() const noexcept;
  [[nodiscard]] unsigned max_threads() const noexcept { return max_threads_; }
  // The number of threads that have started.
  [[nodiscard]] unsigned started_threads() const noexcept;

  // The number of queued tasks at about this time: a hint, without memory order. Costs some loads
  // per worker.
  [[nodiscard]] std::size_t queued_hint() const noexcept;

  // The index of the calling worker, below max_threads() of its executor; -1 on other threads.
  [[nodiscard]] static int worker_index() noexcept;

  // Whether the calling thread is a worker of this executor.
  [[nodiscard]] bool on_worker() const noexcept { return current_worker() != nullptr; }

 private:
  friend class Fork;
  friend class TaskGroup;
  struct Worker;

  // For Fork. Pushes the task to the calling worker's deque. False if the thread is not a worker,
  // or there is no memory.
  bool offer(Task& task) noexcept;
  // For Fork, on the worker that offered the task; the task is done when `pending` is 0. True if
  // the task was still in the worker's deque and has been removed; otherwise waits until it is
  // done.
  bool take_back(Task& task, const base::atomic<std::size_t>& pending) noexcept;

  // For TaskGroup; `pending` is its count of unfinished tasks. Waits until it is 0 or the deadline
  // has passed; returns whether it is 0, with acquire. A worker of this executor runs tasks
  // meanwhile.
  using Deadline = std::chrono::steady_clock::time_point;
  bool wait_for_zero(const base::atomic<std::size_t>& pending, const Deadline* deadline);
  bool help_until_zero(Worker& worker, const base::atomic<std::size_t>& pending,
                       const Deadline* deadline);
  void help_sleep(const base::atomic<std::size_t>& pending, const Deadline* deadline);
  void park(EventCount& events, EventCount::Key key, const Deadline* deadline) noexcept;
  static bool commit_wait(EventCount& events, EventCount::Key key, const Deadline* deadline);
  // Called when a count has become 0. Accesses only the executor.
  void announce_zero() noexcept;

  // Whether a worker begins to search because it was woken, or may have been woken.
  enum class Woken : bool { no, yes };
  // When a search checks the tasks from outside.
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

  // Constant, or written only while threads start.
  const unsigned max_threads_;
  const Observer* const observer_;  // null: none
  const bool spins_;                // whether there is more than one CPU
  const std::string name_;
  const StartThread start_thread_;
  // The first started_ elements exist.
  const std::unique_ptr<std::unique_ptr<Worker>[]> workers_;
  // [X1] release after the worker was constructed; acquire before one is accessed.
  base::atomic<unsigned> started_{0};
  base::atomic<unsigned> threads_;  // the limit; written under start_mutex_
  std::mutex start_mutex_;          // held while a thread starts

  InjectionQueue injected_;

  // The state of idle workers. It is written only by idle workers and by the threads that wake
  // them.
  //
  // No task is forgotten: a thread that adds one passes a seq_cst fence [X2], and then either sees
  // a sleeper to wake, or sees searching_ or waking_ set. A worker that clears its mark in
  // searching_ or waking_, or is about to sleep, passes a seq_cst fence afterwards [X2] and then
  // checks all queues.
  alignas(base::kCacheLine) base::atomic<unsigned> searching_{0};  // workers that search for work
  base::atomic<bool> waking_{false};    // a worker was woken or started, and has not searched yet
  base::atomic<unsigned> asleep_{0};    // workers in sleep(), outside any task
  base::atomic<unsigned> helping_{0};   // workers that sleep in a TaskGroup's wait
  base::atomic<bool> stopping_{false};  // step 1 of the destructor; set under start_mutex_
  base::atomic<bool> finished_{false};  // step 3
  EventCount idle_;                     // workers sleep here
  EventCount zero_;                     // threads that are not workers wait here for a TaskGroup
};

}  // namespace fathom::rt
