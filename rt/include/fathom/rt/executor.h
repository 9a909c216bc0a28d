// Executor: a work-stealing thread pool with one deque per worker.
//
// Guarantees: every task that submit() accepted runs exactly once, on a worker; all tasks have run
// when the destructor returns. A worker runs its own newest task first, but every 61st time the
// oldest task submitted from outside, if there is one, and the next time its own oldest task, so
// neither starves. Tasks of different workers are not ordered.
//
// A worker that waits within a task, for a TaskGroup, a fork or a loop, runs tasks meanwhile that
// workers have submitted, and tasks from outside only if they belong to the group that it waits
// for. So tasks from outside are never stacked on each other, and neither the stack nor the time of
// a task grows with the number of those that arrive. Across such a wait, do not hold a lock that
// another task may need, and do not rely on thread-local or per-worker state that another task may
// change; and a task must not wait for work of another task, except for its own subtasks. Among its
// own tasks, a worker that waits always takes the newest, and may never reach an older one if newer
// ones submit tasks without end. Waits within one executor may be nested as deeply as the stack
// allows: a level takes about a kilobyte, besides that of the functions called. A thread that is
// not a worker of any executor does its part of forks and loops, and runs tasks of the group that
// it waits for; workers of another executor sleep.
//
// Threads start one by one, when there is work for them; if the system refuses one, the executor
// runs with fewer. They block all signals except synchronous faults, so signals go to the threads
// that the program started itself. A worker that finds no work spins for some microseconds and then
// sleeps.
//
// A thread that is suspended within submit() stops no worker that has tasks of workers to run, but
// may keep tasks from outside waiting; those that find no other task wait for it, too.
//
// A child of fork() has none of the threads, so what submits a task to a copy there throws
// base::Error, forks and loops run on the calling thread, and the destructor joins nothing and
// forgets what was queued.
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
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/detail/fork_check.h"
#include "fathom/rt/detail/injection_queue.h"
#include "fathom/rt/detail/sleepers.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/observer.h"
#include "fathom/rt/task.h"

namespace fathom::rt {

namespace detail {
class Fork;
}

class TaskGroup;

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
  // except its own workers may use the executor any more; an assertion ends a program whose other
  // threads still submit, in builds with assertions and while a task of the executor still runs.
  //
  //  1. No further thread starts, so there is a last worker.
  //  2. All sleeping workers are woken. Each searches for work and sleeps again.
  //  3. When a worker is about to sleep, all others are asleep and all queues are empty, the work
  //     has ended: only a running task could submit another.
  //  4. That worker wakes all others, and all return.
  //  5. The destructor joins them.
  ~Executor();

  // Queues the task to run once on a worker. Throws base::Error if there is no worker and none can
  // be started, or in a child of fork(); the caller then still owns the task. Otherwise, it never
  // throws on a worker of this executor.
  //
  // From a worker: pushes to its own deque, without any shared write unless another worker is idle.
  // What happened before submit() is visible to the task.
  void submit(Task* task);

  // Queues several tasks at once, and wakes a worker for each of them. The tasks are not accessed
  // when the call has returned, and the array neither. Throws as above; the caller then still owns
  // all tasks.
  void submit(std::span<Task* const> tasks);

  // Whether some worker is idle or has not started yet: a hint, without memory order, that
  // splitting work pays. Costs a few loads.
  [[nodiscard]] bool wants_work() const noexcept;

  // The same for a worker, but false if its own deque holds enough tasks for all others; on other
  // threads, false while tasks from outside are queued.
  [[nodiscard]] bool wants_split() const noexcept;

  // Whether a thread should split a range that it begins. On a worker even if nobody is idle yet:
  // while its deque holds fewer tasks than would supply all others by halving. On other threads
  // like wants_split().
  [[nodiscard]] bool wants_first_split() const noexcept;

  // Raises the limit of threads at run time, up to max_threads. Never lowers it. Throws base::Error
  // in a child of fork().
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

  // Where a thread that takes part in a loop or a group of this executor may keep its own state in
  // an array of max_threads() + 1: 0 for a thread that is not one of its workers, even if it is one
  // of another executor. So at most one such thread may wait for the group, because each runs tasks
  // of it; a loop has only one, which began it.
  [[nodiscard]] std::size_t slot() const noexcept {
    return on_worker() ? static_cast<std::size_t>(worker_index()) + 1 : 0;
  }

 private:
  friend class detail::Fork;
  friend class TaskGroup;
  friend detail::LockOf;
  struct Worker;

  // For Fork. Pushes the task to the calling worker's deque, or on other threads to the queue of
  // tasks from outside if somebody is idle. False if it did not.
  bool offer(Task& task) noexcept;
  // For Fork, on the thread that offered the task; the task is done when `pending` is 0. True if
  // nobody has taken the task yet: it has been removed. Otherwise waits until it is done.
  bool take_back(Task& task, const base::atomic<std::size_t>& pending) noexcept;
  // For Fork, on another worker: the fork that this worker offered is done; -1: one of a thread
  // that is not a worker.
  void announce_fork(int worker) noexcept;

  // For TaskGroup. Waits until the group has no unfinished task or the deadline has passed; returns
  // whether it has none, with acquire. A worker of this executor runs tasks meanwhile.
  using Sleepers = detail::Sleepers;
  using Deadline = Sleepers::Deadline;
  bool wait_for(TaskGroup& group, const Deadline* deadline);
  // Called when a group has no unfinished task any more. Accesses only the executor.
  void announce_zero() noexcept;

  // What a thread waits for: until the count is 0, or the deadline, if there is one. It may run
  // tasks from outside of the group, if there is one.
  struct Wait {
    const base::atomic<std::size_t>& pending;
    TaskGroup* group = nullptr;
    const Deadline* deadline = nullptr;

    // Whether tasks from outside of the group are queued: a hint.
    bool has_outside() const noexcept;
  };
  bool help(Worker& worker, const Wait& wait);
  bool wait_outside(const Wait& wait) noexcept;
  bool run_own(const Wait& wait) noexcept;
  bool help_sleep(Worker& worker, const Wait& wait);
  Task* take_nested(Worker& worker, const Wait& wait, bool marked) noexcept;

  // Where tasks are: in the deques of workers, or in the queue of tasks from outside.
  enum class Place : unsigned char { inside, outside };

  [[nodiscard]] bool in_child() const noexcept { return fork_check_.in_child(); }
  Worker* current_worker() const noexcept;
  bool start_one() noexcept;
  bool require_worker();
  void submit_all(Task& first, std::size_t tasks);
  void submit_inside(Worker& worker, Task& first, std::size_t tasks) noexcept;
  bool hand_over(Task& task) noexcept;
  void submit_outside(Task& first, std::size_t tasks, bool started) noexcept;
  void wake_for_work(Place place, std::size_t tasks = 1) noexcept;
  bool sleeps_for(Place place) const noexcept;
  bool can_wake(Place place) const noexcept;
  void wake_one(Place place) noexcept;
  void end_search() noexcept;
  std::optional<Place> unserved(bool (Executor::*can_wake_for)(Place)
                                    const noexcept) const noexcept;
  bool has_work(Place place) const noexcept;

  void forget_threads() noexcept;
  void work(Worker& worker) noexcept;
  void run(Task& task) const noexcept;
  void run_observed(Task& task) const noexcept;
  Task* take(Worker& worker) noexcept;
  Task* search(Worker& worker, bool marked, const Wait* wait) noexcept;
  Task* sweep(Worker& worker, const Wait* wait) noexcept;
  Task* steal(Worker& worker) noexcept;
  Sleepers::Message sleep(Worker& worker) noexcept;
  bool all_asleep() const noexcept;

  // Constant, or written only while threads start.
  const unsigned max_threads_;
  const Observer* const observer_;  // null: none
  const bool spins_;                // whether there is more than one CPU
  const std::string name_;
  const StartThread start_thread_;
  const detail::ForkCheck fork_check_;
  // The first started_ elements exist.
  const std::unique_ptr<std::unique_ptr<Worker>[]> workers_;
  // [X1] release after the worker was constructed; acquire before one is accessed.
  base::atomic<unsigned> started_{0};
  base::atomic<unsigned> threads_;  // the limit; written under start_mutex_
  std::mutex start_mutex_;          // held while a thread starts

  detail::InjectionQueue injected_;

  // Sleeping workers, and wake-ups under way. Written only by idle workers and by the threads that
  // wake them.
  alignas(base::kCacheLine) Sleepers sleepers_;
  base::atomic<unsigned> asleep_{0};    // workers in sleep(), outside any task
  base::atomic<unsigned> waiting_{0};   // workers that sleep while they wait for a TaskGroup
  base::atomic<bool> stopping_{false};  // step 1 of the destructor; set under start_mutex_
  base::atomic<bool> finished_{false};  // step 3
  EventCount zero_;                     // threads that are not workers wait here
};

}  // namespace fathom::rt
