// Tests of the results of single tasks: values, exceptions, and skipped tasks.

#include "fathom/rt/task_result.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {
namespace {

TEST(TaskResult, HasTheValueAfterTheWait) {
  Executor executor({.threads = 2});
  TaskGroup group(executor);
  std::vector<TaskResult<std::string>> results;
  for (int i = 0; i < 100; ++i) results.push_back(group.async([i] { return std::to_string(i); }));
  EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(results[i].ready());
    EXPECT_EQ(results[i].get(), std::to_string(i));
  }
}

TEST(TaskResult, OfATaskWithoutAValueTellsThatItEnded) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  bool ran = false;
  TaskResult<void> result = group.async([&] { ran = true; });
  group.wait();
  result.get();
  EXPECT_TRUE(ran);
}

TEST(TaskResult, MovesWhatCannotBeCopied) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  TaskResult<std::unique_ptr<int>> result =
      group.async([owned = std::make_unique<int>(7)]() mutable { return std::move(owned); });
  group.wait();
  EXPECT_EQ(*result.get(), 7);
}

// The wait does not rethrow it, and the other tasks run.
TEST(TaskResult, HasTheExceptionOfItsTask) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  TaskResult<int> bad = group.async([]() -> int { throw std::runtime_error("no"); });
  TaskResult<int> good = group.async([] { return 1; });
  EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
  EXPECT_THROW(bad.get(), std::runtime_error);
  EXPECT_FALSE(bad.skipped());
  EXPECT_EQ(good.get(), 1);
}

TEST(TaskResult, OfASkippedTaskSaysSo) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  TaskResult<int> cancelling = group.async([&] {
    group.cancel();
    return 1;
  });
  group.cancel();
  TaskResult<int> skipped = group.async([] { return 2; });
  EXPECT_EQ(group.wait(), TaskGroup::Ended::cancelled);
  EXPECT_TRUE(skipped.skipped());
  EXPECT_THROW(skipped.get(), base::Error);
  EXPECT_TRUE(cancelling.ready());
}

TEST(TaskResult, IsNotReadyBeforeItsTaskHasEnded) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  base::atomic<bool> may_end{false};
  TaskResult<int> result = group.async([&] {
    while (!may_end.load(base::memory_order_relaxed)) std::this_thread::yield();
    return 3;
  });
  EXPECT_FALSE(result.ready());
  EXPECT_THROW(result.get(), base::Error);
  may_end.store(true, base::memory_order_relaxed);
  while (!result.ready()) std::this_thread::yield();  // without a wait
  EXPECT_EQ(result.get(), 3);
  group.wait();
}

TEST(TaskResult, MayOutliveItsGroupOrBeDroppedBefore) {
  const std::size_t before = Allocations::alive();
  {
    std::optional<TaskResult<std::string>> kept;
    {
      Executor executor({.threads = 2});
      TaskGroup group(executor);
      kept = group.async([] { return std::string(100, 'x'); });
      static_cast<void>(group.async([] { return std::string(100, 'y'); }));
      group.wait();
    }
    EXPECT_EQ(kept->get(), std::string(100, 'x'));
  }
  EXPECT_EQ(Allocations::alive(), before);
}

// Each value is written by a worker and read by the thread that polls.
TEST(TaskResult, PublishesItsValue) {
  Executor executor({.threads = 2});
  TaskGroup group(executor);
  for (int i = 0; i < 1000; ++i) {
    TaskResult<std::vector<int>> result = group.async([i] { return std::vector<int>{i}; });
    while (!result.ready()) std::this_thread::yield();
    ASSERT_EQ(result.get(), std::vector<int>{i});
  }
  group.wait();
}

}  // namespace
}  // namespace fathom::rt
