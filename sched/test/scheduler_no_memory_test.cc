// The C interface when memory runs out, which scheduler_test.c cannot test.

#include <gtest/gtest.h>

#include <array>

#include "allocations.h"
#include "fathom/scheduler.h"

namespace fathom::sched {
namespace {

alignas(FATHOM_SCHEDULER_ALIGNMENT) std::array<char, FATHOM_SCHEDULER_SIZE(2, 2, 1, 0)> all_memory;

fathom_outcome nothing(fathom_scheduler* /*scheduler*/, fathom_task /*task*/, void* /*context*/) {
  return FATHOM_DONE;
}

TEST(SchedulerForC, AllocatesNothingAndReportsWhenItWouldHaveTo) {
  fathom_scheduler_options options{};
  options.tasks = options.dependencies = 2;
  options.channels = 1;
  const rt::Allocations::Refusal refusal;
  fathom_scheduler* const scheduler =
      fathom_scheduler_init(&options, all_memory.data(), all_memory.size());
  ASSERT_NE(scheduler, nullptr);
  std::array<fathom_spec, 2> specs{};
  specs[0].body = specs[1].body = &nothing;
  std::array<fathom_task, 2> tasks{};
  EXPECT_EQ(fathom_tasks_create(scheduler, 2, specs.data(), tasks.data()), FATHOM_OK);
  EXPECT_EQ(fathom_task_add_dependencies(scheduler, tasks[0], 1, &tasks[1]), FATHOM_OK);
  std::array<fathom_task, 2> cycle{};
  EXPECT_EQ(fathom_find_cycle(scheduler, cycle.size(), cycle.data()), FATHOM_NO_MEMORY);
  EXPECT_EQ(fathom_tasks_ready(scheduler, 1, &tasks[1], nullptr), FATHOM_OK);
  EXPECT_EQ(fathom_execute_line(scheduler, 0, 2), 2U);
}

}  // namespace
}  // namespace fathom::sched
