// Tests of TaskGroup: waiting, nesting, exceptions, cancelling, and lifetimes.

#include "fathom/rt/task_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "counter.h"
#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

using std::chrono::milliseconds;

void wait_helping(TaskGroup& group) {
  group.wait();
}

// The message of the exception that the wait throws; empty if none.
std::string caught(TaskGroup& group, void (*wait)(TaskGroup&) = wait_helping) {
  try {
    wait(group);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class CountingTask : public GroupTask {
 public:
  void run(unsigned worker) override {
    worker_ = worker;
    ++runs_;
  }
  void skip(unsigned /*worker*/) noexcept override { ++skips_; }

  unsigned runs_ = 0;
  unsigned skips_ = 0;
  unsigned worker_ = ~0U;
};

// Each task that a waiting worker begins lies on its stack, on top of the waiting one.
TEST(TaskGroup, WaitingDoesNotNestTasksFromOutside) {
  Executor executor({.threads = 1});
  TaskGroup all(executor);
  int depth = 0;
  int deepest = 0;
  for (int i = 0; i < 300; ++i) {
    all.run([&] {
      deepest = std::max(deepest, ++depth);
      TaskGroup own(executor);
      for (int k = 0; k < 150; ++k) own.run([] {});
      own.wait();
      --depth;
    });
  }
  wait_asleep(all);
  EXPECT_EQ(deepest, 1);
}

// Without this, a group that is filled from outside could wait for a task behind its own one.
TEST(TaskGroup, AWaitingWorkerRunsTasksFromOutsideOfItsGroupOnly) {
  Executor executor({.threads = 1});
  Counter submitted{0};
  std::vector<std::string> order;
  TaskGroup all(executor);
  TaskGroup inner(executor);
  all.run([&] {
    while (value(submitted) == 0) std::this_thread::yield();
    inner.wait();
    order.emplace_back("waited");
  });
  all.run([&] { order.emplace_back("unrelated"); });
  inner.run([&] { order.emplace_back("inner"); });
  count(submitted);
  wait_asleep(all);
  EXPECT_EQ(order, (std::vector<std::string>{"inner", "waited", "unrelated"}));
}

// The same if the task comes when the worker sleeps already, and the other one is busy.
TEST(TaskGroup, AWaitingWorkerIsWokenForATaskFromOutsideOfItsGroup) {
  Executor executor({.threads = 2});
  for (int round = 0; round < 20; ++round) {
    Counter stolen{0};
    Counter late{0};
    TaskGroup all(executor);
    TaskGroup inner(executor);
    all.run([&] {
      inner.run([&] {
        count(stolen);
        while (value(late) == 0) std::this_thread::yield();
      });
      while (value(stolen) == 0) std::this_thread::yield();
      inner.wait();
    });
    while (value(stolen) == 0) std::this_thread::yield();
    for (int turn = 0; turn < 500; ++turn) std::this_thread::yield();
    inner.run([&] { count(late); });
    wait_asleep(all);
  }
}

// Otherwise the only worker, which is busy, would have to run it.
TEST(TaskGroup, AThreadThatWaitsRunsTasksOfItsGroup) {
  Executor executor({.threads = 1});
  Counter ran{0};
  TaskGroup busy(executor);
  busy.run([&] {
    while (value(ran) != 2) std::this_thread::yield();
  });
  TaskGroup group(executor);
  std::vector<std::thread::id> threads(2);
  for (std::thread::id& thread : threads) {
    group.run([&] {
      thread = std::this_thread::get_id();
      EXPECT_EQ(Executor::worker_index(), -1);
      count(ran);
    });
  }
  group.wait();
  EXPECT_EQ(threads, std::vector(2, std::this_thread::get_id()));
  wait_asleep(busy);
}

// A thread that waits has no number below max_threads().
TEST(TaskGroup, OnlyWorkersRunIntrusiveTasks) {
  Executor executor({.threads = 1});
  Counter ran{0};
  TaskGroup busy(executor);
  busy.run([&] {
    while (value(ran) == 0) std::this_thread::yield();
  });
  TaskGroup group(executor);
  CountingTask numbered;
  group.run([&] { count(ran); });
  group.submit(numbered);
  group.wait();
  EXPECT_EQ(numbered.worker_, 0U);
  wait_asleep(busy);
}

// What it runs might take longer than it wants to wait.
TEST(TaskGroup, AThreadWithADeadlineRunsNoTasks) {
  Executor executor({.threads = 1});
  Counter late{0};
  TaskGroup group(executor);
  group.run([&] {
    while (value(late) == 0) std::this_thread::yield();
  });
  std::thread::id thread;
  group.run([&] { thread = std::this_thread::get_id(); });
  EXPECT_FALSE(group.wait_for(milliseconds(1)));
  count(late);
  wait_asleep(group);
  EXPECT_NE(thread, std::this_thread::get_id());
}

// Its number in the other executor would mean something else here.
TEST(TaskGroup, AWorkerOfAnotherExecutorRunsNoTasks) {
  Executor executor({.threads = 1});
  Executor other({.threads = 1});
  std::thread::id waiting;
  std::vector<std::thread::id> threads(100);
  TaskGroup outer(other);
  outer.run([&] {
    waiting = std::this_thread::get_id();
    TaskGroup group(executor);
    for (std::thread::id& thread : threads) {
      group.run([&] { thread = std::this_thread::get_id(); });
    }
    group.wait();
  });
  wait_asleep(outer);
  EXPECT_EQ(std::count(threads.begin(), threads.end(), waiting), 0);
}

TEST(TaskGroup, WaitsForAllAndPublishesTheirEffects) {
  for (const unsigned threads : {1U, 3U}) {
    Executor executor({.threads = threads});
    std::vector<unsigned> squares(1000);
    TaskGroup group(executor);
    for (unsigned i = 0; i < 1000; ++i) group.run([&squares, i] { squares[i] = i * i; });
    group.wait();
    for (unsigned i = 0; i < 1000; ++i) ASSERT_EQ(squares[i], i * i);
  }
}

// As workers do that steal from it. When they steal, locks would often hide that a worker is not
// published; queued_hint() takes none.
TEST(TaskGroup, AnotherThreadMayUseAWorkerAsSoonAsItCounts) {
  Executor executor({.threads = 1});
  std::thread other([&executor] {
    while (executor.started_threads() == 0) std::this_thread::yield();
    EXPECT_LE(executor.queued_hint(), 1U);
  });
  TaskGroup group(executor);
  group.run([] {});
  group.wait();
  other.join();
}

TEST(TaskGroup, AnEmptyGroupNeedsNoWaiting) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  group.wait();
  EXPECT_TRUE(group.wait_for(milliseconds(0)));
  EXPECT_EQ(executor.started_threads(), 0U);
}

TEST(TaskGroup, IntrusiveTasksRunOnNumberedWorkers) {
  Executor executor({.threads = 2});
  std::vector<CountingTask> tasks(100);
  TaskGroup group(executor);
  for (CountingTask& task : tasks) group.submit(task);
  group.wait();
  for (const CountingTask& task : tasks) {
    ASSERT_EQ(task.runs_, 1U);
    ASSERT_LT(task.worker_, 2U);
  }
}

unsigned fibonacci(Executor& executor, unsigned n) {
  if (n < 2) return n;
  unsigned one = 0;
  TaskGroup group(executor);
  group.run([&] { one = fibonacci(executor, n - 1); });
  const unsigned other = fibonacci(executor, n - 2);
  group.wait();
  return one + other;
}

TEST(TaskGroup, SeveralTasksAtOnceBelongToTheGroup) {
  std::vector<CountingTask> tasks(100);
  std::vector<GroupTask*> all;
  for (CountingTask& task : tasks) all.push_back(&task);
  Executor executor({.threads = 2});
  TaskGroup group(executor);
  group.submit(all);
  EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
  for (const CountingTask& task : tasks) EXPECT_EQ(task.runs_, 1U);
  group.cancel();
  group.submit(all);
  EXPECT_EQ(group.wait(), TaskGroup::Ended::cancelled);
  for (const CountingTask& task : tasks) EXPECT_EQ(task.runs_ + task.skips_, 2U);
}

TEST(TaskGroup, P14NestedGroupsWorkOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    Executor executor({.threads = threads});
    unsigned result = 0;
    TaskGroup group(executor);
    group.run([&] { result = fibonacci(executor, 15); });
    group.wait();
    EXPECT_EQ(result, 610U);
  }
}

// The waiting worker must be woken by the end of a task that another worker runs.
TEST(TaskGroup, AWaitingWorkerWithoutWorkIsWoken) {
  Executor executor({.threads = 2});
  for (int round = 0; round < 300; ++round) {
    std::barrier together(2);
    TaskGroup outer(executor);
    outer.run([&] {
      TaskGroup inner(executor);
      inner.run([&] { together.arrive_and_wait(); });
      // This task runs here: it waits for the other task, which was therefore stolen.
      together.arrive_and_wait();
      inner.wait();
    });
    outer.wait();
  }
}

TEST(TaskGroup, TheFirstExceptionIsThrownOnceAndTheRestIsSkipped) {
  Executor executor({.threads = 1});
  Counter ran{0};
  TaskGroup group(executor);
  // A single worker takes tasks from outside in their order; a thread that helps would run the
  // second one at the same time.
  group.run([] { throw std::runtime_error("first"); });
  group.run([&] {
    count(ran);
    throw std::runtime_error("second");
  });
  EXPECT_EQ(caught(group, wait_asleep), "first");
  EXPECT_EQ(value(ran), 0U);
  EXPECT_EQ(caught(group), "");
}

TEST(TaskGroup, RunsTasksAgainAfterAWaitHasReportedAnException) {
  Executor executor({.threads = 2});
  Counter ran{0};
  TaskGroup group(executor);
  for (unsigned round = 1; round <= 3; ++round) {
    group.run([] { throw std::runtime_error("failed"); });
    EXPECT_EQ(caught(group), "failed");
    group.run([&] { count(ran); });
    EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
    EXPECT_EQ(value(ran), round);
  }
}

TEST(TaskGroup, AWaitReportsThatTheGroupWasCancelledAndReArmsIt) {
  Executor executor({.threads = 1});
  Counter ran{0};
  TaskGroup group(executor);
  group.cancel();
  group.run([&] { count(ran); });
  EXPECT_EQ(group.wait_for(std::chrono::hours(1)), TaskGroup::Ended::cancelled);
  EXPECT_EQ(value(ran), 0U);
  EXPECT_FALSE(group.cancelled());
  group.run([&] { count(ran); });
  EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
  EXPECT_EQ(value(ran), 1U);
}

TEST(TaskGroup, OneOfSeveralConcurrentExceptionsIsThrown) {
  Executor executor({.threads = 2});
  for (int round = 0; round < 100; ++round) {
    std::barrier together(2);
    TaskGroup group(executor);
    for (const char* name : {"a", "b"}) {
      group.run([&together, name] {
        together.arrive_and_wait();
        throw std::runtime_error(name);
      });
    }
    const std::string error = caught(group);
    EXPECT_TRUE(error == "a" || error == "b");
    EXPECT_EQ(caught(group), "");
  }
}

TEST(TaskGroup, ALaterExceptionDoesNotReplaceTheFirst) {
  Executor executor({.threads = 2});
  std::barrier together(2);
  TaskGroup group(executor);
  group.run([&] {
    together.arrive_and_wait();
    throw std::runtime_error("first");
  });
  group.run([&] {
    together.arrive_and_wait();
    while (!group.cancelled()) std::this_thread::yield();
    throw std::runtime_error("later");
  });
  EXPECT_EQ(caught(group), "first");
}

TEST(TaskGroup, AnExceptionWithoutAWaitIsDropped) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  group.run([] { throw std::runtime_error("dropped"); });
}

TEST(TaskGroup, CancelSkipsTasksThatHaveNotBegun) {
  Executor executor({.threads = 1});
  std::barrier begun(2);
  std::barrier end(2);
  std::vector<CountingTask> tasks(10);
  TaskGroup group(executor);
  bool noticed = false;
  group.run([&] {
    begun.arrive_and_wait();
    end.arrive_and_wait();
    noticed = group.cancelled();
  });
  for (CountingTask& task : tasks) group.submit(task);
  begun.arrive_and_wait();
  group.cancel();
  end.arrive_and_wait();
  group.wait();
  EXPECT_TRUE(noticed);
  for (const CountingTask& task : tasks) {
    EXPECT_EQ(task.runs_, 0U);
    EXPECT_EQ(task.skips_, 1U);
  }
}

TEST(TaskGroup, ATokenCancelsTheGroupDuringAWait) {
  Executor executor({.threads = 1});
  const CancelSource source;
  TaskGroup group(executor);
  CountingTask late;
  group.run([&] {
    source.cancel();
    while (!group.cancelled()) std::this_thread::yield();
    group.submit(late);
  });
  EXPECT_EQ(group.wait(source.token()), TaskGroup::Ended::cancelled);
  EXPECT_EQ(late.runs_, 0U);
  EXPECT_EQ(late.skips_, 1U);
  EXPECT_FALSE(group.cancelled());
}

TEST(TaskGroup, TheDeadlineOfATokenCancelsTheGroup) {
  Executor executor({.threads = 1});
  const CancelSource source = CancelSource::with_deadline(base::monotonic_now() + milliseconds(1));
  TaskGroup group(executor);
  group.run([&] {
    while (!group.cancelled()) std::this_thread::yield();
  });
  EXPECT_EQ(group.wait(source.token()), TaskGroup::Ended::cancelled);
  EXPECT_TRUE(source.cancelled());
}

TEST(TaskGroup, ATokenThatIsNotCancelledChangesNothing) {
  Executor executor({.threads = 1});
  Counter ran{0};
  TaskGroup group(executor);
  {
    const CancelSource source;
    group.run([&] { count(ran); });
    EXPECT_EQ(group.wait(source.token()), TaskGroup::Ended::done);
    source.cancel();
  }
  group.run([&] { count(ran); });
  EXPECT_EQ(group.wait(CancelToken()), TaskGroup::Ended::done);
  EXPECT_EQ(value(ran), 2U);
}

TEST(TaskGroup, WaitForReturnsWhetherAllIsDone) {
  Executor executor({.threads = 1});
  std::barrier end(2);
  TaskGroup group(executor);
  group.run([&] { end.arrive_and_wait(); });
  EXPECT_FALSE(group.wait_for(milliseconds(0)));
  EXPECT_FALSE(group.wait_for(milliseconds(1)));
  EXPECT_FALSE(group.wait_for(std::chrono::nanoseconds::min()));
  end.arrive_and_wait();
  EXPECT_TRUE(group.wait_for(std::chrono::nanoseconds::max()));
}

// In nanoseconds it does not fit into 64 bits.
TEST(TaskGroup, WaitForADurationThatNoClockReachesWaitsForTheEnd) {
  Executor executor({.threads = 1});
  std::barrier begin(2);
  TaskGroup group(executor);
  group.run([&] {
    begin.arrive_and_wait();
    for (int i = 0; i < 10'000; ++i) std::this_thread::yield();  // the wait probably begins first
  });
  begin.arrive_and_wait();
  EXPECT_TRUE(group.wait_for(std::chrono::hours::max()));
}

TEST(TaskGroup, WaitForOnAWorkerHelpsAndGivesUp) {
  Executor executor({.threads = 1});
  TaskGroup outer(executor);
  outer.run([&] {
    Counter ran{0};
    TaskGroup inner(executor);
    for (int i = 0; i < 10; ++i) inner.run([&] { count(ran); });
    while (!inner.wait_for(milliseconds(1))) {
    }
    EXPECT_EQ(value(ran), 10U);
  });
  wait_asleep(outer);
}

// A helping worker is woken for a task just when its deadline passes. It returns without running
// the task, and must not let others believe that it will run it.
TEST(TaskGroup, AHelperThatTimesOutPassesOnItsWakeUp) {
  Executor executor({.threads = 2});
  base::atomic<bool> over{false};
  TaskGroup endless(executor);
  endless.run([&] {
    while (!over.load(base::memory_order_relaxed)) std::this_thread::yield();
  });
  for (unsigned round = 0; round < 300; ++round) {
    base::atomic<bool> helping{false};
    TaskGroup group(executor);
    group.run([&] {
      helping.store(true, base::memory_order_relaxed);
      endless.wait_for(std::chrono::microseconds(50));
    });
    while (!helping.load(base::memory_order_relaxed)) base::cpu_relax();
    for (unsigned i = 0; i < 20 * (round % 100); ++i) base::cpu_relax();
    group.run([] {});
    group.wait();
  }
  over.store(true, base::memory_order_relaxed);
  endless.wait();
}

// A task that resubmits itself through its group, and finally destroys itself.
class Countdown : public GroupTask {
 public:
  Countdown(TaskGroup& group, Counter& runs, unsigned left)
      : group_(group), runs_(runs), left_(left) {}
  void run(unsigned /*worker*/) override {
    count(runs_);
    if (--left_ > 0) {
      group_.submit(*this);
    } else {
      delete this;
    }
  }

 private:
  TaskGroup& group_;
  Counter& runs_;
  unsigned left_;
};

TEST(TaskGroup, ATaskMayResubmitAndDestroyItself) {
  Executor executor({.threads = 2});
  Counter runs{0};
  TaskGroup group(executor);
  group.submit(*new Countdown(group, runs, 1000));
  group.submit(*new Countdown(group, runs, 1000));
  group.wait();
  EXPECT_EQ(value(runs), 2000U);
}

// P6, P7: group and task are destroyed as soon as wait() returns.
TEST(TaskGroup, P6P7NothingAccessesAGroupAfterItsWait) {
  Executor executor({.threads = 2});
  for (int round = 0; round < 3000; ++round) {
    CountingTask task;
    TaskGroup group(executor);
    group.submit(task);
    group.wait();
    ASSERT_EQ(task.runs_, 1U);
  }
}

// A thread that begins to wait only after another one was told has nothing to wait for.
TEST(TaskGroup, AllThreadsThatWaitAreToldOfAnException) {
  constexpr unsigned kRounds = 50;
  Executor executor({.threads = 2});
  Counter thrown_in_all{0};
  for (unsigned round = 0; round < kRounds; ++round) {
    Counter waiting{0};
    Counter thrown{0};
    TaskGroup group(executor);
    std::barrier end(2);
    group.run([&] {
      end.arrive_and_wait();
      for (int turn = 0; turn < 100; ++turn) std::this_thread::yield();
      throw std::runtime_error("told");
    });
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i) {
      waiters.emplace_back([&] {
        count(waiting);
        if (!caught(group).empty()) count(thrown);
      });
    }
    while (value(waiting) != 3) std::this_thread::yield();
    end.arrive_and_wait();
    for (std::thread& waiter : waiters) waiter.join();
    EXPECT_GE(value(thrown), 1U);
    thrown_in_all.fetch_add(value(thrown), base::memory_order_relaxed);
  }
  EXPECT_GT(value(thrown_in_all), kRounds);
}

// The outer wait cannot return between the rounds, because it runs the task that waits for them.
TEST(TaskGroup, AThreadThatReturnsAfterSeveralRoundsIsToldOfTheLast) {
  Executor executor({.threads = 1});
  TaskGroup all(executor);
  all.run([&] {
    TaskGroup group(executor);
    const auto rounds = [&](const std::function<void()>& more) {
      group.run([] { throw std::runtime_error("first"); });
      all.run([&, more] {  // newer, so it runs within the wait below
        EXPECT_EQ(caught(group), "first");
        group.run([] { throw std::runtime_error("second"); });
        EXPECT_EQ(caught(group), "second");
        more();
      });
    };
    rounds([] {});
    EXPECT_EQ(caught(group), "second");
    rounds([&] {
      group.run([] {});
      EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
    });
    EXPECT_EQ(caught(group), "second");
    rounds([&] {
      group.cancel();
      EXPECT_EQ(group.wait(), TaskGroup::Ended::cancelled);
    });
    EXPECT_EQ(group.wait(), TaskGroup::Ended::cancelled);
    EXPECT_EQ(group.wait(), TaskGroup::Ended::done);
  });
  wait_asleep(all);
}

TEST(TaskGroup, WaitingAfterAFailedSubmitReturns) {
  Executor executor({.threads = 1, .start_thread = [](auto) -> std::thread {
                       throw std::system_error(EAGAIN, std::generic_category());
                     }});
  CountingTask task;
  TaskGroup group(executor);
  EXPECT_THROW(group.submit(task), base::Error);
  EXPECT_THROW(group.run([] {}), base::Error);
  group.wait();
  EXPECT_EQ(task.runs_, 0U);
}

TEST(TaskGroup, WorkersSplitWorkWhileOthersAreIdle) {
  Executor executor({.threads = 3});
  Counter leaves{0};
  TaskGroup group(executor);
  std::function<void(unsigned, unsigned)> split = [&](unsigned from, unsigned to) {
    while (to - from > 1) {
      const unsigned middle = from + (to - from) / 2;
      group.run([&split, middle, to] { split(middle, to); });
      to = middle;
    }
    count(leaves);
  };
  group.run([&] { split(0, 20'000); });
  group.wait();
  EXPECT_EQ(value(leaves), 20'000U);
}

}  // namespace
}  // namespace fathom::rt
