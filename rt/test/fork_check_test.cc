// Tests of what a child of fork(2) can do with the executors and groups of its parent.

#include "fathom/rt/detail/fork_check.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/task_group.h"
#include "forked.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

using testing::holds_in_child;
using testing::is_refused;

TEST(ForkCheck, TellsCopiesInAChildFromOthers) {
  const detail::ForkCheck before;
  EXPECT_FALSE(before.in_child());
  EXPECT_TRUE(holds_in_child([&] {
    const detail::ForkCheck after;
    return before.in_child() && !after.in_child() &&
           holds_in_child([&] { return before.in_child() && after.in_child(); });
  }));
  EXPECT_FALSE(before.in_child());
}

// An executor with a worker that sleeps.
class ForkedExecutor : public ::testing::Test {
 protected:
  void SetUp() override {
    TaskGroup group(*executor_);
    group.run([] {});
    wait_asleep(group);
  }

  std::unique_ptr<Executor> executor_ = std::make_unique<Executor>(Executor::Options{.threads = 2});
};

TEST_F(ForkedExecutor, RefusesTasks) {
  auto task = make_task([]() noexcept {});
  const std::array<Task*, 1> tasks = {&task};
  TaskGroup group(*executor_);
  EXPECT_TRUE(holds_in_child([&] {
    return is_refused([&] { executor_->submit(&task); }) &&
           is_refused([&] { executor_->submit(tasks); }) && is_refused([&] { group.run([] {}); }) &&
           group.wait() == TaskGroup::Ended::done;
  }));
  group.run([] {});  // the parent goes on
  EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
}

TEST_F(ForkedExecutor, RefusesTasksOfAWorker) {
  TaskGroup group(*executor_);
  group.run([&] {
    auto task = make_task([]() noexcept {});
    EXPECT_TRUE(holds_in_child([&] { return is_refused([&] { executor_->submit(&task); }); }));
  });
  wait_asleep(group);
}

TEST_F(ForkedExecutor, RunsLoopsOnTheCallingThread) {
  EXPECT_TRUE(holds_in_child([&] {
    int sum = 0;
    const std::thread::id caller = std::this_thread::get_id();
    parallel_for(*executor_, 0, 1000, [&](int i) {
      if (std::this_thread::get_id() == caller) sum += i;
    });
    return sum == 499'500;
  }));
}

TEST(ForkedExecutorWithoutThreads, StartsNoneInTheChild) {
  Executor executor({.threads = 2});
  EXPECT_TRUE(holds_in_child([&] {
    parallel_for(executor, 0, 1000, [](int) {});
    return is_refused([&] { executor.grow(2); }) && executor.started_threads() == 0;
  }));
}

TEST_F(ForkedExecutor, IsDestroyedWithoutItsThreads) {
  EXPECT_TRUE(holds_in_child([&] {
    executor_.reset();
    return true;
  }));
}

TEST_F(ForkedExecutor, DoesNotWaitForTasksOfTheParent) {
  base::atomic<bool> forked{false};
  auto group = std::make_unique<TaskGroup>(*executor_);
  for (int i = 0; i < 5; ++i) {  // some run, the others are queued
    group->run([&] {
      while (!forked.load(base::memory_order_relaxed)) std::this_thread::yield();
    });
  }
  EXPECT_TRUE(holds_in_child([&] {
    const bool was_refused = is_refused([&] { static_cast<void>(group->wait()); });
    group.reset();
    executor_.reset();
    return was_refused;
  }));
  forked.store(true, base::memory_order_relaxed);
  EXPECT_EQ(group->wait(), TaskGroup::Ended::done);
}

}  // namespace
}  // namespace fathom::rt
