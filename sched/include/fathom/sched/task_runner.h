// TaskRunner: runs the tasks of a TaskScheduler on the workers of an Executor.
//
// Guarantees: each ready task runs without a call of execute(); workers sleep while no task is
// ready. At most `runs` tasks run at the same time, by default as many as the executor may have
// threads; each run prefers one channel, and no channel starves. A run keeps its worker as long as
// tasks are ready: an executor that also has other work needs more threads than that.
//
//   rt::Executor executor;
//   TaskRunner runner(executor, {.tasks = 1024, .dependencies = 4096});
//   runner.scheduler().create(specs, tasks);
//   runner.scheduler().ready(tasks);
//   runner.wait();
//
// The effects of the tasks are visible after wait(). Any thread may use the scheduler, as always;
// but making tasks ready may wake a thread, which takes a lock. The executor must outlive the
// runner.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"
#include "fathom/sched/task_scheduler.h"

namespace fathom::sched {

class TaskRunner {
 public:
  // Runs up to `runs` tasks at the same time; 0: executor.max_threads(). options.on_ready is still
  // called. Throws like the scheduler's constructor, and base::Error if the executor has no thread
  // and can start none.
  TaskRunner(rt::Executor& executor, const TaskScheduler::Options& options, unsigned runs = 0);
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;
  // Waits like wait(); tasks that are blocked or wait for others never run. No other thread may use
  // the scheduler.
  ~TaskRunner();

  [[nodiscard]] TaskScheduler& scheduler() noexcept { return scheduler_; }

  // Waits until no task is ready and the runner runs none; other threads may change that
  // immediately. Blocked tasks do not count, nor tasks that other threads execute() themselves. A
  // worker of the executor runs other tasks meanwhile, but a task of this scheduler must not call
  // this.
  void wait();

 private:
  class Pump;

  static TaskScheduler::Options with_callback(TaskScheduler::Options options, TaskRunner& runner);
  static void note_ready(void* runner, unsigned channel, std::uint32_t count) noexcept;
  void start(unsigned channel, std::uint32_t count) noexcept;

  const TaskScheduler::OnReady on_ready_;
  TaskScheduler scheduler_;
  std::vector<std::unique_ptr<Pump>> pumps_;
  alignas(base::kCacheLine) base::atomic<unsigned> idle_;  // idle pumps; a hint, except for [R1]
  rt::TaskGroup group_;                                    // the pumps that are not idle
};

}  // namespace fathom::sched
