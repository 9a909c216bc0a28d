// Tests of the executor: starting, running, sleeping, stealing, and ending.

#include "fathom/rt/executor.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <csignal>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "counter.h"
#include "fathom/base/atomic.h"
#include "fathom/base/crash_stack.h"
#include "fathom/base/error.h"
#include "fathom/rt/concurrency.h"

namespace fathom::rt {
namespace {

// A task that calls a function and may be submitted again.
class Call : public Task {
 public:
  explicit Call(std::function<void()> function) : Task(&invoke), function_(std::move(function)) {}

 private:
  static void invoke(Task& task) noexcept { static_cast<Call&>(task).function_(); }
  std::function<void()> function_;
};

// A task that counts itself and submits two tasks of the next lower depth.
class Tree : public Task {
 public:
  Tree(Executor& executor, Counter& runs, unsigned depth)
      : Task(&invoke), executor_(executor), runs_(runs), depth_(depth) {}

 private:
  static void invoke(Task& task) noexcept {
    const std::unique_ptr<Tree> self(static_cast<Tree*>(&task));
    self->runs_.fetch_add(1, base::memory_order_relaxed);
    if (self->depth_ == 0) return;
    for (int i = 0; i < 2; ++i) {
      self->executor_.submit(new Tree(self->executor_, self->runs_, self->depth_ - 1));
    }
  }
  Executor& executor_;
  Counter& runs_;
  unsigned depth_;
};

// Starts threads only while it is allowed to.
struct Starter {
  unsigned allowed;
  unsigned refused = 0;
  std::thread operator()(std::function<void()> function) {
    if (allowed == 0) {
      ++refused;
      throw std::system_error(EAGAIN, std::generic_category());
    }
    --allowed;
    return std::thread(std::move(function));
  }
};

// Starts threads that begin when they may. So a submission is over before its task runs, and has no
// late wake-up for a worker that has gone to sleep again.
struct HeldStarter {
  base::atomic<bool> may_begin{false};
  std::thread operator()(std::function<void()> function) {
    return std::thread([this, work = std::move(function)] {
      while (!may_begin.load(base::memory_order_relaxed)) std::this_thread::yield();
      work();
    });
  }
};

TEST(Executor, StartsNoThreadBeforeThereIsWork) {
  const Executor executor({.threads = 4});
  EXPECT_EQ(executor.started_threads(), 0U);
  EXPECT_EQ(executor.threads(), 4U);
  EXPECT_TRUE(executor.wants_work());
  EXPECT_EQ(Executor::worker_index(), -1);
}

TEST(Executor, OneTaskStartsOneThread) {
  Counter runs{0};
  auto task = make_task([&]() noexcept { runs.fetch_add(1, base::memory_order_relaxed); });
  HeldStarter starter;
  {
    Executor executor({.threads = 4, .start_thread = std::ref(starter)});
    executor.submit(&task);
    EXPECT_EQ(executor.started_threads(), 1U);
    starter.may_begin.store(true, base::memory_order_relaxed);
  }
  EXPECT_EQ(runs.load(base::memory_order_relaxed), 1U);
}

TEST(Executor, EveryTaskFromOutsideRunsOnce) {
  constexpr unsigned kProducers = 3;
  constexpr unsigned kTasks = 5000;
  for (const unsigned threads : {1U, 3U}) {
    std::vector<Counter> runs(kProducers * kTasks);
    std::deque<Call> tasks;
    for (Counter& run : runs) {
      tasks.emplace_back([&run] { run.fetch_add(1, base::memory_order_relaxed); });
    }
    {
      Executor executor({.threads = threads});
      std::vector<std::thread> producers;
      for (unsigned p = 0; p < kProducers; ++p) {
        producers.emplace_back([&, p] {
          for (unsigned i = 0; i < kTasks; ++i) executor.submit(&tasks[p * kTasks + i]);
        });
      }
      for (std::thread& producer : producers) producer.join();
    }
    for (const Counter& run : runs) ASSERT_EQ(run.load(base::memory_order_relaxed), 1U);
  }
}

TEST(Executor, EveryTaskFromInsideRunsOnceBeforeTheDestructorReturns) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    Counter runs{0};
    {
      Executor executor({.threads = threads});
      executor.submit(new Tree(executor, runs, 13));
    }
    EXPECT_EQ(runs.load(base::memory_order_relaxed), (1U << 14) - 1);
  }
}

void live_shortly(unsigned rounds) {
  Counter runs{0};
  unsigned expected = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned tasks = round % 4;
    std::deque<Call> calls;
    for (unsigned i = 0; i < tasks; ++i) {
      calls.emplace_back([&] { runs.fetch_add(1, base::memory_order_relaxed); });
    }
    {
      Executor executor({.threads = 1 + round % 4});
      for (Call& call : calls) executor.submit(&call);
    }
    expected += tasks;
    ASSERT_EQ(runs.load(base::memory_order_relaxed), expected);
  }
}

TEST(Executor, P12ManyShortLivedExecutorsWithAndWithoutWork) {
  live_shortly(600);
}

// Only one thread runs at any time, so each step may come long after the previous one.
TEST(Executor, P12ManyShortLivedExecutorsOnOneProcessor) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    GTEST_SKIP() << "not allowed to set the CPU affinity";
  live_shortly(200);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

// P10: as many tasks as workers, each of which waits for all others, need all workers at the same
// time.
TEST(Executor, P10AsManyTasksAsWorkersRunAtTheSameTime) {
  for (const unsigned threads : {2U, 4U}) {
    for (const bool inside : {false, true}) {
      Executor executor({.threads = threads});
      for (int round = 0; round < 150; ++round) {
        std::barrier together(static_cast<std::ptrdiff_t>(threads) + 1);
        base::atomic<unsigned> left{0};
        std::deque<Call> tasks;
        for (unsigned i = 0; i < threads; ++i) {
          tasks.emplace_back([&] {
            together.arrive_and_wait();
            left.fetch_add(1, base::memory_order_release);  // pairs with the acquire below
          });
        }
        Call all([&] {
          for (unsigned i = 1; i < threads; ++i) executor.submit(&tasks[i]);
          executor.submit(&tasks[0]);
        });
        if (inside) {
          executor.submit(&all);
        } else {
          for (Call& task : tasks) executor.submit(&task);
        }
        together.arrive_and_wait();
        while (left.load(base::memory_order_acquire) != threads) std::this_thread::yield();
      }
      EXPECT_EQ(executor.started_threads(), threads);
    }
  }
}

TEST(Executor, GrowsWhileAllWorkersAreBusy) {
  std::barrier together(4);
  std::deque<Call> tasks;
  for (int i = 0; i < 3; ++i) tasks.emplace_back([&] { together.arrive_and_wait(); });
  Executor executor({.threads = 1, .max_threads = 3});
  for (Call& task : tasks) executor.submit(&task);
  EXPECT_EQ(executor.threads(), 1U);
  executor.grow(100);
  EXPECT_EQ(executor.threads(), 3U);
  together.arrive_and_wait();  // returns only if there are three workers
  EXPECT_EQ(executor.started_threads(), 3U);
  executor.grow(1);
  EXPECT_EQ(executor.threads(), 3U);
}

TEST(Executor, OnlyWorkersHaveAnIndex) {
  std::barrier together(3);
  std::vector<int> index(2, -2);
  std::deque<Call> tasks;
  for (std::size_t i = 0; i < 2; ++i) {
    tasks.emplace_back([&, i] {
      index[i] = Executor::worker_index();
      together.arrive_and_wait();
    });
  }
  Executor executor({.threads = 2});
  for (Call& task : tasks) executor.submit(&task);
  together.arrive_and_wait();
  EXPECT_EQ(index[0] + index[1], 1);
  EXPECT_EQ(index[0] * index[1], 0);
  EXPECT_EQ(Executor::worker_index(), -1);
}

TEST(Executor, ASlotIsThatOfAWorkerOfThisExecutor) {
  const Executor other({.threads = 1});
  const Executor* own = nullptr;
  std::size_t here = 9;
  std::size_t elsewhere = 9;
  Call task([&] {
    here = own->slot();
    elsewhere = other.slot();
  });
  {
    Executor executor({.threads = 1});
    own = &executor;
    EXPECT_EQ(executor.slot(), 0U);
    executor.submit(&task);
  }
  EXPECT_EQ(here, 1U);
  EXPECT_EQ(elsewhere, 0U);
}

TEST(Executor, AWorkerOfAnotherExecutorIsOutside) {
  int index = -2;
  Call inner([&] { index = Executor::worker_index(); });
  {
    Executor second({.threads = 1});
    Call outer([&] { second.submit(&inner); });
    Executor first({.threads = 1});
    first.submit(&outer);
  }
  EXPECT_EQ(index, 0);
}

// Lets no worker that was woken do anything until it is told to.
class HeldBack : public Observer {
 public:
  Moment park_begins() const noexcept override {
    asleep_.fetch_add(1, base::memory_order_release);
    return 0;
  }
  void park_ends(Moment /*began*/) const noexcept override {
    asleep_.fetch_sub(1, base::memory_order_release);
    while (held_.load(base::memory_order_acquire)) std::this_thread::yield();
  }
  void wakes() const noexcept override { woken_.fetch_add(1, base::memory_order_relaxed); }

  mutable Counter asleep_{0};
  mutable Counter woken_{0};
  base::atomic<bool> held_{false};
};

TEST(Executor, SeveralTasksWakeAWorkerEach) {
  constexpr unsigned kThreads = 5;
  HeldBack observer;
  std::barrier together(kThreads + 1);
  std::deque<Call> tasks;
  for (unsigned i = 0; i < kThreads; ++i) tasks.emplace_back([&] { together.arrive_and_wait(); });
  std::vector<Task*> all;
  for (Call& task : tasks) all.push_back(&task);

  Executor executor({.threads = kThreads, .observer = &observer});
  executor.submit(all);
  together.arrive_and_wait();
  EXPECT_EQ(executor.started_threads(), kThreads);
  while (observer.asleep_.load(base::memory_order_acquire) != kThreads) std::this_thread::yield();
  observer.held_.store(true, base::memory_order_release);
  const unsigned before = observer.woken_.load(base::memory_order_relaxed);
  executor.submit(all);
  EXPECT_EQ(observer.woken_.load(base::memory_order_relaxed) - before, kThreads);
  observer.held_.store(false, base::memory_order_release);
  together.arrive_and_wait();
}

TEST(Executor, SeveralTasksRunOnceEach) {
  constexpr unsigned kTasks = 1000;
  for (const bool inside : {false, true}) {
    std::vector<Counter> runs(kTasks);
    std::deque<Call> tasks;
    for (Counter& count : runs) {
      tasks.emplace_back([&] { count.fetch_add(1, base::memory_order_relaxed); });
    }
    std::vector<Task*> all;
    for (Call& task : tasks) all.push_back(&task);
    Executor* used = nullptr;
    Call submitting([&] { used->submit(all); });
    {
      Executor executor({.threads = 3});
      used = &executor;
      if (inside) {
        executor.submit(&submitting);
      } else {
        executor.submit(all);
      }
    }
    for (const Counter& count : runs) EXPECT_EQ(count.load(base::memory_order_relaxed), 1U);
  }
}

// From outside, with one worker.
TEST(Executor, SeveralTasksFromOutsideRunInTheirOrder) {
  std::vector<int> order;
  std::deque<Call> tasks;
  for (int i = 0; i < 5; ++i) tasks.emplace_back([&order, i] { order.push_back(i); });
  {
    Executor executor({.threads = 1});
    const std::vector<Task*> all = {&tasks[0], &tasks[1], &tasks[2], &tasks[3]};
    executor.submit(all);
    executor.submit(&tasks[4]);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Executor, SubmittingNothingStartsNoThread) {
  Executor executor({.threads = 1});
  executor.submit(std::span<Task* const>());
  EXPECT_EQ(executor.started_threads(), 0U);
}

// The delay places the next task at every point of the worker's way to sleep.
TEST(Executor, P4ATaskIsSeenByAWorkerThatGoesToSleep) {
  Executor executor({.threads = 1});
  for (unsigned round = 0; round < 20'000; ++round) {
    base::atomic<bool> done{false};
    auto task = make_task([&done]() noexcept { done.store(true, base::memory_order_release); });
    for (unsigned i = 0; i < round % 500; ++i) base::cpu_relax();
    executor.submit(&task);
    while (!done.load(base::memory_order_acquire)) std::this_thread::yield();
  }
}

// A task may need another worker even while the executor is being destroyed.
TEST(Executor, NoWorkerLeavesWhileATaskRuns) {
  for (int round = 0; round < 20; ++round) {
    std::barrier begun(3);
    std::barrier together(2);
    base::atomic<bool> ending{false};
    Call other([&] { begun.arrive_and_wait(); });
    Call partner([&] { together.arrive_and_wait(); });
    std::unique_ptr<Call> last;
    {
      Executor executor({.threads = 2});
      last = std::make_unique<Call>([&] {
        begun.arrive_and_wait();
        while (!ending.load(base::memory_order_relaxed)) std::this_thread::yield();
        for (int i = 0; i < 500; ++i) std::this_thread::yield();  // the other worker goes to sleep
        executor.submit(&partner);
        together.arrive_and_wait();
      });
      executor.submit(last.get());
      executor.submit(&other);
      begun.arrive_and_wait();
      ending.store(true, base::memory_order_relaxed);
    }
  }
}

// While it is armed, holds worker 0 back after it was woken, until worker 1 sleeps again or has
// ended.
class HeldBackWorker : public Observer {
 public:
  Moment park_begins() const noexcept override {
    asleep_.fetch_add(1, base::memory_order_release);
    if (Executor::worker_index() == 1) parked_.fetch_add(1, base::memory_order_release);
    return 0;
  }
  void park_ends(Moment /*began*/) const noexcept override {
    asleep_.fetch_sub(1, base::memory_order_release);
    if (Executor::worker_index() != 0) return;
    while (armed_.load(base::memory_order_acquire) &&
           parked_.load(base::memory_order_acquire) == parked_before_) {
      std::this_thread::yield();
    }
  }
  void thread_ends() const noexcept override {
    if (Executor::worker_index() == 1) parked_.fetch_add(1, base::memory_order_release);
  }
  void arm() {
    while (asleep_.load(base::memory_order_acquire) != 2) std::this_thread::yield();
    parked_before_ = parked_.load(base::memory_order_acquire);
    armed_.store(true, base::memory_order_release);
  }
  void disarm() { armed_.store(false, base::memory_order_release); }

 private:
  mutable Counter asleep_{0};
  mutable Counter parked_{0};
  unsigned parked_before_ = 0;
  base::atomic<bool> armed_{false};
};

// Worker 0 is woken for a task right before the destructor begins, and is slow to begin it.
TEST(Executor, NoWorkerLeavesBeforeATaskThatWasHandedOverHasRun) {
  HeldBackWorker observer;
  std::barrier together(2);
  Call first([&] { together.arrive_and_wait(); });
  Call partner([&] { together.arrive_and_wait(); });
  std::unique_ptr<Call> last;
  bool has_run = false;
  {
    Executor executor({.threads = 2, .observer = &observer});
    executor.submit(std::array<Task*, 2>{&first, &partner});
    observer.arm();
    last = std::make_unique<Call>([&] {
      // Worker 1 runs this if a late wake-up, for the first tasks, was that of worker 0.
      observer.disarm();
      executor.submit(&partner);
      together.arrive_and_wait();
      has_run = true;
    });
    executor.submit(last.get());
  }
  EXPECT_TRUE(has_run);
}

TEST(Executor, ATaskFromOutsideIsHandedToAWorkerThatSleeps) {
  HeldBack observer;
  HeldStarter starter;
  Executor executor({.threads = 1, .start_thread = std::ref(starter), .observer = &observer});
  int runs = 0;
  base::atomic<bool> done{false};
  Call task([&] {
    ++runs;
    done.store(true, base::memory_order_release);
  });
  for (int round = 1; round <= 1000; ++round) {
    done.store(false, base::memory_order_relaxed);
    observer.held_.store(round > 1, base::memory_order_release);
    executor.submit(&task);
    starter.may_begin.store(true, base::memory_order_relaxed);
    if (round > 1) {
      EXPECT_EQ(executor.queued_hint(), 0U);
    }
    observer.held_.store(false, base::memory_order_release);
    while (!done.load(base::memory_order_acquire)) std::this_thread::yield();
    while (observer.asleep_.load(base::memory_order_acquire) != 1) std::this_thread::yield();
    EXPECT_EQ(runs, round);
  }
}

TEST(Executor, WantsWorkOnlyWhileAWorkerIsIdle) {
  std::barrier steps(2);
  Call task([&] {
    steps.arrive_and_wait();
    steps.arrive_and_wait();
  });
  Executor executor({.threads = 1, .max_threads = 2});
  executor.submit(&task);
  steps.arrive_and_wait();
  EXPECT_FALSE(executor.wants_work());  // the only worker is busy
  executor.grow(2);
  EXPECT_TRUE(executor.wants_work());
  steps.arrive_and_wait();
}

// A task that resubmits itself keeps its worker's deque from ever being empty.
TEST(Executor, P11ATaskThatResubmitsItselfDoesNotStarveTasksFromOutside) {
  base::atomic<bool> stop{false};
  std::unique_ptr<Call> again;
  Call stopper([&] { stop.store(true, base::memory_order_relaxed); });
  {
    Executor executor({.threads = 1});
    again = std::make_unique<Call>([&] {
      if (!stop.load(base::memory_order_relaxed)) executor.submit(again.get());
    });
    executor.submit(again.get());
    executor.submit(&stopper);  // without fairness the destructor would never return
  }
  EXPECT_TRUE(stop.load(base::memory_order_relaxed));
}

// Nor do the many tasks from outside.
TEST(Executor, P11ATaskThatResubmitsItselfDoesNotStarveOlderTasksOfItsWorker) {
  constexpr unsigned kFromOutside = 1000;
  Counter from_outside{0};
  bool old_has_run = false;
  unsigned turns = 0;
  std::barrier queued(2);
  std::deque<Call> outside;
  std::unique_ptr<Call> start;
  std::unique_ptr<Call> again;
  Call old([&] {
    old_has_run = true;
    EXPECT_LT(value(from_outside), kFromOutside);
  });
  {
    Executor executor({.threads = 1});
    again = std::make_unique<Call>([&] {
      if (!old_has_run && ++turns < 200 * kFromOutside) executor.submit(again.get());
    });
    start = std::make_unique<Call>([&] {
      queued.arrive_and_wait();
      executor.submit(&old);
      executor.submit(again.get());
    });
    executor.submit(start.get());
    for (unsigned i = 0; i < kFromOutside; ++i) {
      executor.submit(&outside.emplace_back([&] { count(from_outside); }));
    }
    queued.arrive_and_wait();
  }
  EXPECT_TRUE(old_has_run);
  EXPECT_LT(turns, 200 * kFromOutside);
}

TEST(Executor, RunsWithFewerThreadsIfTheSystemRefuses) {
  Counter runs{0};
  const auto starter = std::make_shared<Starter>(Starter{2});
  {
    Executor executor(
        {.threads = 8, .start_thread = [starter](auto function) { return (*starter)(function); }});
    executor.submit(new Tree(executor, runs, 10));
  }
  EXPECT_EQ(runs.load(base::memory_order_relaxed), (1U << 11) - 1);
}

TEST(Executor, WithoutAnyThreadSubmitThrowsAndMayBeRetried) {
  Counter runs{0};
  Starter starter{0};
  Call task([&] { runs.fetch_add(1, base::memory_order_relaxed); });
  {
    Executor executor({.threads = 2, .start_thread = std::ref(starter)});
    EXPECT_THROW(executor.submit(&task), base::Error);
    EXPECT_EQ(executor.started_threads(), 0U);
    EXPECT_EQ(starter.refused, 1U);
    starter.allowed = 1;
    executor.submit(&task);
  }
  EXPECT_EQ(runs.load(base::memory_order_relaxed), 1U);
}

// While one thread fails to start a worker, another task relies on that start. The only worker has
// gone to sleep meanwhile.
TEST(Executor, ATaskThatReliesOnAThreadThatFailsToStartIsRun) {
  HeldBack observer;
  Counter begun{0};
  Counter runs{0};
  base::atomic<bool> busy{true};
  const auto await = [](const Counter& counter, unsigned count) {
    while (counter.load(base::memory_order_relaxed) < count) std::this_thread::yield();
  };
  Call blocker([&] {
    begun.fetch_add(1, base::memory_order_relaxed);
    while (busy.load(base::memory_order_relaxed)) std::this_thread::yield();
  });
  Call task([&] { runs.fetch_add(1, base::memory_order_relaxed); });
  Call relying([&] { runs.fetch_add(1, base::memory_order_relaxed); });

  Executor* executor = nullptr;
  unsigned round = 0;
  const auto start = [&](std::function<void()> function) -> std::thread {
    if (round == 0) return std::thread(std::move(function));
    busy.store(false, base::memory_order_relaxed);
    await(runs, 2 * round);  // the worker has run the task
    await(observer.asleep_, 1);
    executor->submit(&relying);
    throw std::system_error(EAGAIN, std::generic_category());
  };
  Executor made({.threads = 1, .max_threads = 2, .start_thread = start, .observer = &observer});
  executor = &made;
  made.submit(&task);
  await(runs, 1);
  for (round = 1; round <= 50; ++round) {
    busy.store(true, base::memory_order_relaxed);
    made.submit(&blocker);
    await(begun, round);
    made.grow(2);
    made.submit(&task);
    await(runs, 2 * round + 1);
  }
}

TEST(Executor, WorkersBlockAllSignalsExceptFaults) {
  sigset_t mask;
  sigemptyset(&mask);
  Call task([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); });
  {
    Executor executor({.threads = 1});
    executor.submit(&task);
  }
  EXPECT_EQ(sigismember(&mask, SIGINT), 1);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 1);
  EXPECT_EQ(sigismember(&mask, SIGSEGV), 0);
  sigset_t here;
  pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGINT), 0);
}

// After a stack overflow the stack has no room for the signal handler.
TEST(Executor, WorkersHaveACrashStackIfAHandlerUsesIt) {
  const auto stack_of_a_worker = [] {
    stack_t stack = {};
    Call task([&] { ::sigaltstack(nullptr, &stack); });
    {
      Executor executor({.threads = 1});
      executor.submit(&task);
    }
    return stack;
  };
  stack_t expected = {};
  std::thread([&expected] {
    const base::CrashStack stack;
    ::sigaltstack(nullptr, &expected);
  }).join();
  const stack_t unwanted = stack_of_a_worker();
  struct sigaction before = {};
  struct sigaction action = {};
  action.sa_handler = [](int) { ::_exit(1); };
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(::sigaction(SIGSEGV, &action, &before), 0);
  const stack_t wanted = stack_of_a_worker();
  ASSERT_EQ(::sigaction(SIGSEGV, &before, nullptr), 0);
  EXPECT_EQ(wanted.ss_size, expected.ss_size);
  EXPECT_EQ(wanted.ss_flags, expected.ss_flags);
  if ((before.sa_flags & SA_ONSTACK) == 0) {
    EXPECT_EQ(unwanted.ss_flags, SS_DISABLE);
  }
}

#ifndef NDEBUG
// One worker is kept busy, so that the destructor waits for it; the other runs what is submitted
// meanwhile, until it ends: then a task that was submitted at that moment never runs. Exits with 0
// after many tasks that nothing refused.
[[noreturn]] void submit_while_the_destructor_waits() {
  constexpr unsigned kMost = 200'000;
  base::atomic<bool> busy{false};
  base::atomic<bool> destroying{false};
  Call keep([&busy] {
    busy.store(true, base::memory_order_relaxed);
    for (;;) std::this_thread::yield();
  });
  auto executor = std::make_unique<Executor>(Executor::Options{.threads = 2});
  Executor& used = *executor;
  used.submit(&keep);
  while (!busy.load(base::memory_order_relaxed)) std::this_thread::yield();
  std::thread([&] {
    destroying.store(true, base::memory_order_relaxed);
    executor.reset();
  }).detach();
  Counter runs{0};
  std::deque<Call> tasks;  // each is submitted once
  for (unsigned late = 0; late < kMost;) {
    if (destroying.load(base::memory_order_relaxed)) ++late;
    used.submit(&tasks.emplace_back([&runs] { runs.fetch_add(1, base::memory_order_relaxed); }));
    while (runs.load(base::memory_order_relaxed) < tasks.size() &&
           !destroying.load(base::memory_order_relaxed)) {
      std::this_thread::yield();
    }
    std::this_thread::yield();
  }
  ::_exit(0);
}

TEST(ExecutorDeathTest, SubmitFromOutsideAfterTheDestructorBeganEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(submit_while_the_destructor_waits(), "submit\\(\\) after the destructor began");
}
#endif

TEST(Executor, MaxThreadsIsAtLeastThreadsWhileTheProcessorsChange) {
  if (default_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) GTEST_SKIP() << "there are many processors";
  if (sched_setaffinity(0, sizeof all, &all) != 0)
    GTEST_SKIP() << "not allowed to set the CPU affinity";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  base::atomic<pid_t> thread{0};
  base::atomic<bool> end{false};
  std::barrier ended(2);
  std::thread other([&] {
    thread = static_cast<pid_t>(::syscall(SYS_gettid));
    for (int i = 0; i < 200; ++i) {
      const Executor executor;
      EXPECT_GE(executor.max_threads(), executor.threads());
    }
    end = true;
    ended.arrive_and_wait();
  });
  while (thread == 0) std::this_thread::yield();
  while (!end) {
    sched_setaffinity(thread, sizeof one, &one);
    sched_setaffinity(thread, sizeof all, &all);
  }
  ended.arrive_and_wait();
  other.join();
}

TEST(Executor, MaxThreadsIsAtLeastThreads) {
  EXPECT_EQ(Executor({.threads = 4, .max_threads = 2}).max_threads(), 4U);
  EXPECT_GE(Executor().threads(), 1U);
}

}  // namespace
}  // namespace fathom::rt
