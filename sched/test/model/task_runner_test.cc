// A task becomes ready while a pump of a TaskRunner becomes idle, in all schedules of a few steps.
// The runner and its scheduler are the real ones; the group of tasks has no executor.

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"
#include "fathom/sched/task_scheduler.h"
#include "model/data.h"
#include "model/expect.h"

namespace {

// To a group. It keeps the first task, for a thread of the scenario, and runs the others at once.
struct Submissions {
  fathom::model::Data<int> in_task;  // what a submission writes into the task, and its run reads
  fathom::rt::GroupTask* kept = nullptr;
  bool keeps_next = true;

  void run(fathom::rt::GroupTask& task) {
    static_cast<void>(in_task.get());
    task.run(0);
  }
};

Submissions* submissions = nullptr;

}  // namespace

namespace fathom::rt {

void GroupTask::execute(Task& /*task*/) noexcept {}

TaskGroup::~TaskGroup() = default;

void TaskGroup::submit(GroupTask& task) {
  submissions->in_task.set(submissions->in_task.get() + 1);
  if (std::exchange(submissions->keeps_next, false)) {
    submissions->kept = &task;
  } else {
    submissions->run(task);
  }
}

TaskGroup::Ended TaskGroup::wait() {
  return Ended::done;
}

}  // namespace fathom::rt

namespace fathom::sched {
namespace {

using model::expect_clean;
using model::explore;
using model::Scenario;

// Only referred to.
rt::Executor& no_executor() {
  alignas(rt::Executor) static std::byte memory[sizeof(rt::Executor)];
  return reinterpret_cast<rt::Executor&>(memory);
}

struct OnePump {
  OnePump() : submitted(std::make_unique<Submissions>()) {
    submissions = submitted.get();
    runner = std::make_unique<TaskRunner>(no_executor(), TaskScheduler::Options{.tasks = 1}, 1);
  }

  // The first run of the only pump.
  void run_pump() { submitted->run(*submitted->kept); }
  void make_ready() {
    const TaskScheduler::Spec spec{
        [](TaskScheduler& /*scheduler*/, TaskScheduler::Handle /*task*/, void* context) noexcept {
          ++*static_cast<int*>(context);
          return TaskScheduler::Outcome::done;
        },
        &runs};
    EXPECT_EQ(runner->scheduler().spawn(spec), TaskScheduler::Status::ok);
  }

  std::unique_ptr<Submissions> submitted;
  std::unique_ptr<TaskRunner> runner;
  int runs = 0;
};

Scenario becoming_idle() {
  const auto pump = std::make_shared<OnePump>();
  Scenario scenario;
  scenario.threads.emplace_back([pump] { pump->run_pump(); });
  scenario.threads.emplace_back([pump] { pump->make_ready(); });
  scenario.check = [pump] { return pump->runs == 1; };
  return scenario;
}

TEST(ModelTaskRunner, NoTaskIsForgottenIfItComesWhileAPumpBecomesIdle) {
  expect_clean(explore(becoming_idle, 3));
}

TEST(ModelTaskRunner, FindsMissingFences) {
  EXPECT_GT(explore(becoming_idle, 3, {.fences_do_nothing = true}).wrong, 0U);
}

}  // namespace
}  // namespace fathom::sched
