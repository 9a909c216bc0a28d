// TaskScheduler: finding cycles of dependencies.

#include <cstdint>
#include <vector>

#include "scheduler_memory.h"

namespace fathom::sched {

// For each task, the number of its dependencies that can never run; 0 if the task can run.
// Repeatedly removes the tasks without remaining dependencies (Kahn 1962).
std::vector<std::uint32_t> TaskScheduler::stuck_dependencies() const {
  std::vector<std::uint32_t> pending(options_.tasks);
  std::vector<std::uint32_t> runnable;
  const auto live = [this](std::uint32_t task) { return state_at(task).phase != Phase::free; };
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    if (live(task)) for_each_dependent(task, [&](Handle waiting) { ++pending[waiting.index]; });
  }
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    if (live(task) && pending[task] == 0) runnable.push_back(task);
  }
  while (!runnable.empty()) {
    const std::uint32_t task = runnable.back();
    runnable.pop_back();
    for_each_dependent(task, [&](Handle waiting) {
      if (--pending[waiting.index] == 0) runnable.push_back(waiting.index);
    });
  }
  return pending;
}

// A stuck task waits for another stuck task, so following these dependencies ends in a cycle.
std::vector<TaskScheduler::Handle> TaskScheduler::find_cycle() const {
  const std::vector<std::uint32_t> stuck = stuck_dependencies();
  std::vector<std::uint32_t> waits_for(options_.tasks, kNoIndex);
  std::uint32_t at = kNoIndex;
  for (std::uint32_t task = 0; task < options_.tasks; ++task) {
    if (stuck[task] == 0) continue;
    for_each_dependent(task, [&](Handle waiting) { waits_for[waiting.index] = task; });
    at = task;
  }
  if (at == kNoIndex) return {};
  std::vector<bool> seen(options_.tasks);
  for (; !seen[at]; at = waits_for[at]) seen[at] = true;
  std::vector<Handle> cycle;
  for (const std::uint32_t first = at; cycle.empty() || at != first; at = waits_for[at]) {
    cycle.push_back({.index = at, .generation = state_at(at).generation});
  }
  return cycle;
}

}  // namespace fathom::sched
