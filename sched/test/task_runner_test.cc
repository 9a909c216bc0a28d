// Tests of running a TaskScheduler's tasks on an Executor.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/rt/executor.h"
#include "fathom/sched/task_scheduler.h"
#include "forked.h"
#include "queue_oracle.h"

namespace fathom::sched {
namespace {

using rt::look_again;
using Handle = TaskScheduler::Handle;
using Outcome = TaskScheduler::Outcome;
using Spec = TaskScheduler::Spec;
using Status = TaskScheduler::Status;

Outcome counted(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  static_cast<base::atomic<int>*>(context)->fetch_add(1, base::memory_order_relaxed);
  return Outcome::done;
}

TEST(TaskRunner, RunsReadyTasksAndWaitsForThem) {
  rt::Executor executor({.threads = 2});
  TaskRunner runner(executor, {.tasks = 101, .dependencies = 100, .channels = 3});
  TaskScheduler& scheduler = runner.scheduler();
  base::atomic<int> runs{0};
  for (int round = 1; round <= 50; ++round) {
    std::vector<Spec> specs;
    for (unsigned i = 0; i <= 100; ++i) specs.push_back({&counted, &runs, i % 3});
    std::vector<Handle> tasks(specs.size());
    ASSERT_EQ(scheduler.create(specs, tasks), Status::ok);
    const std::span parts = std::span(tasks).subspan(1);
    ASSERT_EQ(scheduler.add_dependencies(tasks[0], parts), Status::ok);
    ASSERT_TRUE(scheduler.ready(parts));
    runner.wait();
    ASSERT_EQ(runs, 101 * round);
  }
}

TEST(TaskRunner, NoTaskIsForgottenIfItComesJustAfterAllRunsEnded) {
  rt::Executor executor({.threads = 3});
  base::atomic<int> runs{0};
  TaskRunner runner(executor, {.tasks = 64, .channels = 2});
  for (int made = 0; made < 20'000; ++made) {
    Handle task;
    const Spec spec{&counted, &runs, static_cast<unsigned>(made % 2)};
    ASSERT_EQ(runner.scheduler().create({&spec, 1}, {&task, 1}), Status::ok);
    ASSERT_EQ(runner.scheduler().ready(task), Status::ok);
    while (runs <= made) look_again();  // without helping
  }
}

// Tasks that meet: each waits until all have begun.
struct Meeting {
  int expected;
  base::atomic<int> arrived{0};
};

Outcome meet(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  auto& meeting = *static_cast<Meeting*>(context);
  ++meeting.arrived;
  while (meeting.arrived < meeting.expected) look_again();
  return Outcome::done;
}

TEST(TaskRunner, AsManyTasksAsThreadsRunAtTheSameTime) {
  constexpr int kThreads = 4;
  rt::Executor executor({.threads = kThreads});
  TaskRunner runner(executor, {.tasks = kThreads});
  for (int round = 0; round < 50; ++round) {
    Meeting meeting{kThreads};
    const std::vector<Spec> specs(kThreads, Spec{&meet, &meeting});
    std::vector<Handle> tasks(kThreads);
    runner.wait();
    ASSERT_EQ(runner.scheduler().create(specs, tasks), Status::ok);
    ASSERT_TRUE(runner.scheduler().ready(tasks));
    runner.wait();
    EXPECT_EQ(meeting.arrived, kThreads);
  }
}

// Makes itself ready again until a flag ends it.
Outcome again(TaskScheduler& scheduler, Handle task, void* context) noexcept {
  if (*static_cast<base::atomic<int>*>(context) != 0) return Outcome::done;
  EXPECT_EQ(scheduler.ready(task), Status::ok);
  return Outcome::blocked;
}

TEST(TaskRunner, NoChannelStarvesIfThereAreMoreChannelsThanRuns) {
  rt::Executor executor({.threads = 1});
  TaskRunner runner(executor, {.tasks = 2, .channels = 2});
  base::atomic<int> runs{0};
  std::array<Handle, 2> tasks;
  ASSERT_EQ(runner.scheduler().create({{&again, &runs, 0}, {&counted, &runs, 1}}, tasks),
            Status::ok);
  ASSERT_TRUE(runner.scheduler().ready(tasks));
  runner.wait();  // the first ends when the second has run
  EXPECT_EQ(runs, 1);
}

TEST(TaskRunner, RunsReadyTasksOfACopy) {
  rt::Executor executor({.threads = 2});
  const TaskScheduler::Options options{.tasks = 3, .dependencies = 2};
  TaskScheduler whole(options);
  base::atomic<int> runs{0};
  std::array<Handle, 3> tasks;
  ASSERT_EQ(whole.create({{&counted, &runs}, {&counted, &runs}, {&counted, &runs}}, tasks),
            Status::ok);
  ASSERT_EQ(whole.add_dependencies(tasks[2], {tasks.data(), 2}), Status::ok);
  ASSERT_TRUE(whole.ready({tasks.data(), 2}));
  TaskRunner runner(executor, options);
  for (int round = 1; round <= 20; ++round) {
    runner.wait();
    ASSERT_EQ(runner.scheduler().copy_from(whole), Status::ok);
    runner.wait();
    ASSERT_EQ(runs, 3 * round);
  }
}

TEST(TaskRunner, CallsTheUsersCallbackToo) {
  rt::Executor executor({.threads = 1});
  base::atomic<int> told{0};
  const auto tell = [](void* context, unsigned /*channel*/, std::uint32_t count) noexcept {
    static_cast<base::atomic<int>*>(context)->fetch_add(static_cast<int>(count));
  };
  TaskRunner runner(executor, {.tasks = 3, .on_ready = {tell, &told}}, 1);
  base::atomic<int> runs{0};
  std::array<Handle, 3> tasks;
  ASSERT_EQ(
      runner.scheduler().create({{&counted, &runs}, {&counted, &runs}, {&counted, &runs}}, tasks),
      Status::ok);
  ASSERT_TRUE(runner.scheduler().ready(tasks));
  runner.wait();
  EXPECT_EQ(told, 3);
  EXPECT_EQ(runs, 3);
}

TEST(TaskRunner, RefusesAnExecutorWithoutThreads) {
  rt::Executor executor(
      {.threads = 1, .start_thread = [](const std::function<void()>&) -> std::thread {
         throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
       }});
  EXPECT_THROW(TaskRunner(executor, {.tasks = 1}), base::Error);
}

// ---- fork()

TEST(TaskRunner, InAChildTasksRunOnlyWhereTheyAreExecuted) {
  rt::Executor executor({.threads = 1});
  TaskRunner runner(executor, {.tasks = 1});
  runner.wait();  // its runs are idle
  base::atomic<int> runs{0};
  EXPECT_TRUE(rt::testing::holds_in_child([&] {
    return runner.scheduler().spawn({&counted, &runs}) == Status::ok &&
           rt::testing::is_refused([&] { runner.wait(); }) && runs == 0 &&
           runner.scheduler().execute_one(0) && runs == 1 &&
           !rt::testing::is_refused([&] { runner.wait(); });
  }));
  EXPECT_EQ(runner.scheduler().spawn({&counted, &runs}), Status::ok);  // the parent goes on
  runner.wait();
  EXPECT_EQ(runs, 1);
}

TEST(TaskRunner, InAChildItDoesNotWaitForTasksOfTheParent) {
  rt::Executor executor({.threads = 1});
  base::atomic<int> end{0};
  auto runner = std::make_unique<TaskRunner>(executor, TaskScheduler::Options{.tasks = 1});
  ASSERT_EQ(runner->scheduler().spawn({&again, &end}), Status::ok);
  EXPECT_TRUE(rt::testing::holds_in_child([&] {
    const bool was_refused = rt::testing::is_refused([&] { runner->wait(); });
    runner.reset();
    return was_refused;
  }));
  end = 1;
  runner->wait();
}

}  // namespace
}  // namespace fathom::sched
