// TaskGroup: tasks that are waited for together.
//
// Guarantees: wait() returns after every task of the group has run or was skipped, and then throws
// the first exception that one of them threw; others are dropped. After an exception or cancel()
// tasks that have not begun are skipped. A worker that waits runs other tasks meanwhile, of any
// group, so groups may be nested on any number of threads, one included; executor.h says what that
// forbids. What the tasks did is visible after wait().
//
//   TaskGroup group(executor);
//   for (Part& part : parts) group.run([&part] { part.sort(); });
//   group.wait();
//
// Tasks may add tasks to their own group, but not wait for it. Adding others, and waiting, may be
// done by any thread. The executor must outlive the group, and the group its tasks, which the
// destructor sees to.

#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task.h"

namespace fathom::rt {

class TaskGroup;

// A task of a group, to derive from: nothing is allocated for it. Whoever submits it keeps it alive
// until it is run or skipped; it may destroy or resubmit itself there.
class GroupTask : public Task {
 public:
  // The work. The worker is Executor::worker_index(): no two threads have the same at one time.
  virtual void run(unsigned worker) = 0;

  // Called instead of run() when the group was cancelled: whoever would destroy itself in run()
  // does so here.
  virtual void skip(unsigned /*worker*/) noexcept {}

 protected:
  GroupTask() noexcept : Task(&execute) {}
  virtual ~GroupTask() = default;

 private:
  friend class TaskGroup;
  static void execute(Task& task) noexcept;

  TaskGroup* group_ = nullptr;  // set by submit()
};

class TaskGroup {
 public:
  explicit TaskGroup(Executor& executor) noexcept : executor_(executor) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup();  // waits; drops an exception that nobody waited for

  // Runs the function on some worker. Throws as submit() does, and std::bad_alloc.
  template <class F>
  void run(F&& function);

  // Runs the task on some worker. Throws base::Error when the executor has no thread and can start
  // none; the task is still the caller's then.
  void submit(GroupTask& task);

  // Waits for all tasks, and throws the first exception, once, to one of those that wait.
  void wait();

  // The same, for about so long at most: whether all tasks are done. A worker that waits may take
  // longer by a task that it runs.
  bool wait_for(std::chrono::nanoseconds duration);

  // Skips the tasks that have not begun. Those that run may look at cancelled(). A group stays
  // cancelled for good.
  void cancel() noexcept { cancelled_.store(true, base::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(base::memory_order_relaxed);
  }

 private:
  friend class GroupTask;
  enum class Failure { none, being_written, kept, thrown };

  void fail(std::exception_ptr error) noexcept;
  void finish_one() noexcept;
  void rethrow();

  Executor& executor_;
  std::exception_ptr error_;  // whoever moves failure_ to being_written or thrown may touch it
  base::atomic<Failure> failure_{Failure::none};
  base::atomic<bool> cancelled_{false};
  // Tasks submitted and not finished. [G1] each decrement releases what the task did, and acquires
  // what others did; who reads 0 acquires. The decrement to 0 is the last that a task does to the
  // group: whoever waits may destroy it from then on.
  alignas(base::kCacheLine) base::atomic<std::size_t> pending_{0};
};

template <class F>
void TaskGroup::run(F&& function) {
  class Call final : public GroupTask {
   public:
    explicit Call(F&& function_in) : function_(std::forward<F>(function_in)) {}
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

}  // namespace fathom::rt
