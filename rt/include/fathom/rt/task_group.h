// TaskGroup: a set of tasks to wait for.
//
// Guarantees: wait() returns after every task of the group has run or was skipped. It rethrows the
// first exception of a task; others are dropped. After an exception or cancel(), tasks that have
// not begun are skipped; wait() reports that and re-arms the group, which then runs tasks again. A
// worker that waits runs other tasks meanwhile, so groups may be nested on any number of threads
// including one; executor.h says which tasks, and what that forbids. The effects of the tasks are
// visible after wait().
//
//   TaskGroup group(executor);
//   for (Part& part : parts) group.run([&part] { part.sort(); });
//   group.wait();
//
// Tasks may add tasks to their own group, but must not wait for it. Any thread may add tasks or
// wait. The executor must outlive the group, and the group its tasks, which the destructor ensures.
//
// In a child of fork(), to submit a task throws base::Error, and so does waiting for tasks that the
// parent has submitted; the destructor does not wait for those.

#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task.h"
#include "fathom/rt/task_result.h"

namespace fathom::rt {

class TaskGroup;

// A task of a group, as a base class: nothing is allocated for it. The submitter must keep it alive
// until it is run or skipped; in either call it may destroy or resubmit itself.
class GroupTask : public Task {
 public:
  // The work. `worker` is Executor::worker_index(): unique among the threads at any moment.
  virtual void run(unsigned worker) = 0;

  // Called instead of run() if the group was cancelled. A task that destroys itself in run() must
  // do so here too.
  virtual void skip(unsigned /*worker*/) noexcept {}

 protected:
  GroupTask() noexcept : Task(&execute) {}
  virtual ~GroupTask() = default;

 private:
  friend class TaskGroup;
  // For a task that ignores `worker`.
  struct OnAnyThread {};
  explicit GroupTask(OnAnyThread /*tag*/) noexcept : Task(&execute) { needs_worker_ = false; }
  static void execute(Task& task) noexcept;
};

class TaskGroup {
 public:
  explicit TaskGroup(Executor& executor) noexcept : executor_(executor) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup();  // waits; drops an exception that no wait has rethrown

  // Runs the function on some worker, or on a thread that waits for the group. Throws like
  // submit(), and std::bad_alloc.
  template <class F>
  void run(F&& function);

  // The same for a function whose value or exception is wanted: see TaskResult. The exception does
  // not cancel the group.
  template <class F>
  [[nodiscard]] auto async(F&& function) -> TaskResult<std::invoke_result_t<std::decay_t<F>&>>;

  // Runs the task on some worker. Throws base::Error if the executor has no thread and can start
  // none; the caller then still owns the task.
  void submit(GroupTask& task);

  // The same for several tasks at once, with a worker woken for each; see Executor::submit().
  void submit(std::span<GroupTask* const> tasks);

  // Whether all tasks have run, or some may have been skipped because of cancel().
  enum class Ended : bool { done, cancelled };

  // Waits for all tasks. Rethrows the first exception, or returns whether the group was cancelled;
  // then the group is re-armed. All threads that wait at that time are told the same; they share
  // the exception object. One that returns after the group was re-armed several times is told of
  // the last time.
  Ended wait();

  // The same; cancels the group when the token is cancelled, or reaches its deadline.
  Ended wait(const CancelToken& token);

  // The same as wait(), for at most about `duration`; nothing if tasks are left then. It may take
  // longer on a worker, by a task that the worker runs meanwhile; other threads run none.
  // The duration is any that deadline_after() of clock.h takes.
  template <class Rep, class Period>
  std::optional<Ended> wait_for(std::chrono::duration<Rep, Period> duration) {
    return wait_until(base::deadline_after(base::monotonic_now(), duration));
  }
  // The same until a time.
  std::optional<Ended> wait_until(Executor::Deadline deadline);

  // Skips the tasks that have not begun, until a wait has reported it. Running tasks may check
  // cancelled().
  void cancel() noexcept { cancelled_.store(true, base::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(base::memory_order_relaxed);
  }

 private:
  friend class Executor;
  friend class GroupTask;
  friend class detail::InjectionQueue;

  void fail(std::exception_ptr error) noexcept;
  void finish(std::size_t tasks) noexcept;
  Ended end_round(unsigned round);

  Executor& executor_;
  base::atomic<bool> cancelled_{false};
  // Counts the times that the group was re-armed. Changed under mutex_, before cancelled_. [G4]
  base::atomic<unsigned> round_{0};
  std::mutex mutex_;
  std::exception_ptr error_;       // of this round; guarded by mutex_
  std::exception_ptr last_error_;  // of the round that ended last; guarded by mutex_
  // Submitted tasks that have not finished. [G1] each decrement releases what the task did, and
  // acquires what others did; a thread that reads 0 acquires. The decrement to 0 is a task's last
  // access to the group: from then on a waiting thread may destroy it.
  alignas(base::kCacheLine) base::atomic<std::size_t> pending_{0};
  // The tasks in the executor's queue of tasks from outside; written under its lock.
  base::atomic<std::size_t> outside_{0};
  Task* oldest_outside_ = nullptr;
  Task* newest_outside_ = nullptr;  // meaningful only if oldest_outside_ is not null
};

template <class F>
void TaskGroup::run(F&& function) {
  class Call final : public GroupTask {
   public:
    explicit Call(F&& function_in)
        : GroupTask(OnAnyThread{}), function_(std::forward<F>(function_in)) {}
    void run(unsigned /*worker*/) override {
      const std::unique_ptr<Call> self(this);
      function_();
    }
    void skip(unsigned /*worker*/) noexcept override { delete this; }

   private:
    std::decay_t<F> function_;
  };

  auto call = std::make_unique<Call>(std::forward<F>(function));
  submit(*call);
  static_cast<void>(call.release());  // it destroys itself
}

template <class F>
auto TaskGroup::async(F&& function) -> TaskResult<std::invoke_result_t<std::decay_t<F>&>> {
  using T = std::invoke_result_t<std::decay_t<F>&>;
  static_assert(!std::is_reference_v<T>, "return a value or a pointer, not a reference");
  auto outcome = std::make_shared<detail::TaskOutcome<T>>();
  TaskResult<T> result(outcome);
  run([promise = detail::TaskPromise<T>(std::move(outcome)),
       call = std::decay_t<F>(std::forward<F>(function))]() mutable { promise.fulfil(call); });
  return result;
}

}  // namespace fathom::rt
