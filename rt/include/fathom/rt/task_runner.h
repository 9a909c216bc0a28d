// TaskRunner: a TaskScheduler whose tasks are run by an Executor's workers.
//
// Guarantees: each task that is ready runs without anybody calling execute(); workers sleep while
// none is. As many run at a time as the runner has runs, which by default is as many as the
// executor may have threads; each prefers a channel, and none is left out. A run keeps its worker
// as long as tasks are ready: an executor that has other work as well needs more threads than that.
//
//   Executor executor;
//   TaskRunner runner(executor, {.tasks = 1024, .dependencies = 4096});
//   runner.scheduler().create(specs, tasks);
//   runner.scheduler().ready(tasks);
//   runner.wait();
//
// What the tasks did is visible after wait(). The scheduler may be used by any thread, as always;
// but making tasks ready may wake a thread then, which takes a lock. The executor must outlive the
// runner.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"
#include "fathom/rt/task_scheduler.h"

namespace fathom::rt {

class TaskRunner {
 public:
  // Runs up to `runs` tasks at a time; 0: executor.max_threads(). options.on_ready is called as
  // well. Throws as the scheduler's constructor, and base::Error if the executor has no thread and
  // can start none.
  TaskRunner(Executor& executor, const TaskScheduler::Options& options, unsigned runs = 0);
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;
  // Waits as wait() does; tasks that are blocked or wait for others never run. Nobody may use the
  // scheduler any more.
  ~TaskRunner();

  [[nodiscard]] TaskScheduler& scheduler() noexcept { return scheduler_; }

  // Waits until no task is ready and the runner runs none, which others may change at once. Those
  // that are blocked do not count, nor those that other threads execute() themselves. A worker of
  // the executor runs other tasks meanwhile, but none of this scheduler's may call this.
  void wait();

 private:
  class Pump;

  static TaskScheduler::Options with_callback(TaskScheduler::Options options, TaskRunner& runner);
  static void note_ready(void* runner, unsigned channel, std::uint32_t count) noexcept;
  void start(unsigned channel, std::uint32_t count) noexcept;

  const TaskScheduler::OnReady on_ready_;
  TaskScheduler scheduler_;
  std::vector<std::unique_ptr<Pump>> pumps_;
  alignas(base::kCacheLine) base::atomic<unsigned> idle_;  // pumps; a hint but for [R1]
  TaskGroup group_;                                        // of the pumps that are not idle
};

}  // namespace fathom::rt
