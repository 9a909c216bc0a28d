// Execution when nothing is ready: what does a call cost that finds no task?

#include <cstdint>
#include <string>

#include "fathom/sched/task_scheduler.h"
#include "rt/suite.h"
#include "sched/questions.h"

namespace fathom::bench {

namespace {

using sched::TaskScheduler;

TaskScheduler::Outcome nothing(TaskScheduler& /*scheduler*/, TaskScheduler::Handle /*task*/,
                               void* /*context*/) noexcept {
  return TaskScheduler::Outcome::done;
}

// Each channel had a task before.
void look_in_vain(benchmark::State& state, unsigned channels) {
  TaskScheduler scheduler({.tasks = 256, .channels = channels});
  for (unsigned channel = 0; channel < channels; ++channel) {
    TaskScheduler::Handle task;
    scheduler.create({{&nothing, nullptr, channel}}, {&task, 1});
    scheduler.ready(task);
  }
  std::uint64_t ran = 0;
  while (scheduler.execute_one(0)) ++ran;
  if (ran != channels) fail(state, "a task was missed");
  for (auto _ : state) {
    if (scheduler.execute_one(0)) fail(state, "a task ran that nobody created");
  }
  count_operations(state, 1);
}

}  // namespace

void add_empty() {
  for (const unsigned channels : {1U, 4U, 32U, 256U}) {
    add("sched/empty/fathom_" + std::to_string(channels),
        [channels](benchmark::State& state) { look_in_vain(state, channels); });
  }
}

}  // namespace fathom::bench
