// How pieces of work reach threads. Four engines do it in four ways; the walk does not know which.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/rt/observer.h"
#include "fathom/rt/task_group.h"

namespace fathom::fs {

// One piece of work: run() is called once, on some worker, and may delete the object. It is a task
// of the runtime so that the lockfree engine needs no wrapper around it.
class Work : public rt::GroupTask {
 public:
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() override = default;

  // The worker is a number below the engine's limit; no two threads have the same at one time.
  void run(unsigned worker) noexcept override = 0;

 protected:
  Work() = default;
};

// What waits for an engine calls this now and then, on its own thread.
using Tick = std::function<void()>;

class WorkEngine {
 public:
  WorkEngine() = default;
  WorkEngine(const WorkEngine&) = delete;
  WorkEngine& operator=(const WorkEngine&) = delete;
  virtual ~WorkEngine() = default;

  // Runs the first works and all that they spawn, on threads of its own; calls tick about every
  // interval meanwhile. Throws base::Error when no thread can be started. Called once.
  virtual void run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
                   const Tick& tick) = 0;

  // Adds work; called by a worker from within Work::run(). The newest is run first by the worker
  // that spawned it. Throws std::bad_alloc; then the work is still the caller's.
  virtual void spawn(Work& work, unsigned worker) = 0;

  // Whether another worker has nothing to do: a hint that it is worth splitting.
  [[nodiscard]] virtual bool has_idle_worker() const = 0;

  // Threads that were started so far.
  [[nodiscard]] virtual unsigned threads() const = 0;

  // How many works wait for a worker, about; nothing where nobody else may look.
  [[nodiscard]] virtual std::optional<std::size_t> queued() { return std::nullopt; }

  // Raises the number of threads while running; an engine that cannot does nothing.
  virtual void grow(unsigned /*threads*/) {}
};

// Makes an engine that starts with so many threads and may grow to the limit. The observer is told
// what they do; null: nobody.
[[nodiscard]] std::unique_ptr<WorkEngine> make_engine(Engine engine, unsigned threads,
                                                      unsigned limit, const rt::Observer* observer);

}  // namespace fathom::fs
