// Effects of repeating generations, which have four bits here: 1 to 15, then 1 again. See
// test_sched_narrow in CMakeLists.txt.

#include <gtest/gtest.h>

#include "fathom/sched/task_scheduler.h"

namespace fathom::sched {
namespace {

using Handle = TaskScheduler::Handle;
using Status = TaskScheduler::Status;

TaskScheduler::Outcome do_nothing(TaskScheduler& /*scheduler*/, Handle /*task*/,
                                  void* /*context*/) noexcept {
  return TaskScheduler::Outcome::done;
}

TEST(TaskSchedulerNarrow, B9AStaleHandleIsDetectedUntilItsGenerationRepeats) {
  TaskScheduler scheduler({.tasks = 1});
  const TaskScheduler::Spec spec{&do_nothing};
  Handle first;
  ASSERT_EQ(scheduler.create({&spec, 1}, {&first, 1}), Status::ok);
  ASSERT_EQ(scheduler.ready(first), Status::ok);
  ASSERT_TRUE(scheduler.execute_one(0));
  for (int others = 0; others < (1 << FATHOM_SCHED_GENERATION_BITS) - 2; ++others) {
    Handle other;
    ASSERT_EQ(scheduler.create({&spec, 1}, {&other, 1}), Status::ok);
    EXPECT_NE(other, first);
    EXPECT_EQ(scheduler.ready(first), Status::stale);
    EXPECT_EQ(scheduler.free({&other, 1}).status, Status::ok);
  }
  Handle again;
  ASSERT_EQ(scheduler.create({&spec, 1}, {&again, 1}), Status::ok);
  EXPECT_EQ(again, first);
}

TEST(TaskSchedulerNarrow, NoTaskEverHasGenerationZero) {
  TaskScheduler scheduler({.tasks = 1});
  const TaskScheduler::Spec spec{&do_nothing};
  for (int round = 0; round < 100; ++round) {
    Handle task;
    ASSERT_EQ(scheduler.create({&spec, 1}, {&task, 1}), Status::ok);
    EXPECT_NE(task.generation, 0U);
    EXPECT_TRUE(scheduler.free({&task, 1}));
  }
}

}  // namespace
}  // namespace fathom::sched
