// WorkEngine: distributes the work items of a walk over threads. There are four engines; the walk
// does not know which one it uses.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "fathom/rt/task_group.h"

namespace fathom::fs {

// One work item: run() is called once, on some worker, and may delete the object. It is a task of
// the runtime so that the lockfree engine needs no wrapper.
class Work : public rt::GroupTask {
 public:
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() override = default;

  // `worker` is a number below the engine's limit; no two threads have the same number at the same
  // time.
  void run(unsigned worker) noexcept override = 0;

 protected:
  Work() = default;
};

// Called regularly on the thread that waits for an engine.
using Tick = std::function<void()>;

class WorkEngine {
 public:
  WorkEngine() = default;
  WorkEngine(const WorkEngine&) = delete;
  WorkEngine& operator=(const WorkEngine&) = delete;
  virtual ~WorkEngine() = default;

  // Runs the first work items and everything that they spawn, on its own threads; calls tick about
  // once per interval in the meantime. Throws base::Error if no thread can be started. Call it
  // once.
  virtual void run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
                   const Tick& tick) = 0;

  // Adds a work item; called by a worker within Work::run(). A worker runs the newest item that it
  // spawned first. If it throws std::bad_alloc, the caller still owns the item.
  virtual void spawn(Work& work, unsigned worker) = 0;

  // Whether another worker is idle: a hint that splitting the work is worthwhile.
  [[nodiscard]] virtual bool has_idle_worker() const = 0;

  // How many threads were started so far.
  [[nodiscard]] virtual unsigned threads() const = 0;

  // The approximate number of waiting work items; nothing if other threads cannot read it.
  [[nodiscard]] virtual std::optional<std::size_t> queued() { return std::nullopt; }

  // Raises the number of threads while running. Does nothing in engines that do not support it.
  virtual void grow(unsigned /*threads*/) {}
};

}  // namespace fathom::fs
