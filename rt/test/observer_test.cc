// Observer: what an Executor reports, and ObservedPhase.

#include "fathom/rt/observer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/task_group.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

using TaskCount = base::atomic<std::size_t>;

// Records the calls, and checks on each thread that they are nested.
class Noting final : public Observer {
 public:
  void thread_starts(std::string_view name, unsigned worker) const noexcept override {
    const std::lock_guard lock(mutex_);
    workers[worker] = std::string(name);
    EXPECT_EQ(Executor::worker_index(), static_cast<int>(worker));
  }
  void thread_ends() const noexcept override {
    EXPECT_TRUE(open().empty());
    add(ended);
  }
  Moment task_begins() const noexcept override { return begin(tasks); }
  void task_ends(Moment began) const noexcept override { end(began); }
  void stolen(unsigned victim, std::size_t count) const noexcept override {
    EXPECT_NE(Executor::worker_index(), static_cast<int>(victim));
    stolen_tasks.fetch_add(count, base::memory_order_relaxed);
  }
  Moment park_begins() const noexcept override { return begin(parks); }
  void park_ends(Moment began) const noexcept override { end(began); }
  void wakes() const noexcept override { add(woken); }
  void submitted() const noexcept override {
    EXPECT_EQ(Executor::worker_index(), -1);
    add(from_outside);
  }
  Moment phase_begins(const char*) const noexcept override { return begin(phases); }
  void phase_ends(const char*, Moment began) const noexcept override { end(began); }

  mutable std::map<unsigned, std::string> workers;  // guarded by mutex_ while threads run
  mutable TaskCount ended{0};
  mutable TaskCount tasks{0};
  mutable TaskCount stolen_tasks{0};
  mutable TaskCount parks{0};
  mutable TaskCount woken{0};
  mutable TaskCount from_outside{0};
  mutable TaskCount phases{0};

 private:
  static void add(TaskCount& count) { count.fetch_add(1, base::memory_order_relaxed); }
  static std::vector<Moment>& open() {
    static thread_local std::vector<Moment> moments;
    return moments;
  }
  Moment begin(TaskCount& count) const {
    add(count);
    open().push_back(next_.fetch_add(1, base::memory_order_relaxed));
    return open().back();
  }
  static void end(Moment began) {
    ASSERT_FALSE(open().empty());
    EXPECT_EQ(open().back(), began);
    open().pop_back();
  }

  mutable std::mutex mutex_;
  mutable base::atomic<Moment> next_{1};
};

TEST(Observer, IsNotifiedOfEveryTaskAndEveryThread) {
  constexpr std::size_t kTasks = 1000;
  const Noting noting;
  unsigned started = 0;
  {
    Executor executor({.threads = 3, .name = "team", .observer = &noting});
    TaskGroup group(executor);
    for (std::size_t i = 0; i < kTasks; ++i) group.run([] {});
    group.wait();
    started = executor.started_threads();
  }
  EXPECT_EQ(noting.tasks.load(), kTasks);
  EXPECT_EQ(noting.from_outside.load(), kTasks);
  EXPECT_EQ(noting.ended.load(), started);
  ASSERT_EQ(noting.workers.size(), started);
  for (unsigned i = 0; i < started; ++i) EXPECT_EQ(noting.workers[i], "team");
}

TEST(Observer, IsNotifiedOfTasksWithinWaitingTasks) {
  const Noting noting;
  {
    Executor executor({.threads = 2, .observer = &noting});
    TaskGroup outer(executor);
    for (int i = 0; i < 20; ++i) {
      outer.run([&] {
        TaskGroup inner(executor);
        for (int k = 0; k < 20; ++k) inner.run([] {});
        inner.wait();
      });
    }
    wait_asleep(outer);
  }
  EXPECT_EQ(noting.tasks.load(), 20U + 20U * 20U);
  EXPECT_EQ(noting.from_outside.load(), 20U);
}

// How many tasks were on the stack of one thread at most.
class Depth final : public Observer {
 public:
  Moment task_begins() const noexcept override {
    Moment deepest = deepest_.load(base::memory_order_relaxed);
    const Moment depth = ++here();
    while (deepest < depth && !deepest_.compare_exchange_weak(deepest, depth)) {
    }
    return depth;
  }
  void task_ends(Moment depth) const noexcept override { EXPECT_EQ(here()--, depth); }

  Moment deepest() const noexcept { return deepest_.load(base::memory_order_relaxed); }

 private:
  static Moment& here() {
    static thread_local Moment depth = 0;
    return depth;
  }

  mutable base::atomic<Moment> deepest_{0};
};

// The depth while requests arrive from outside, each of which calls request(executor, here, there):
// that calls here() on this thread and there() on the other one, and waits for both. Before the
// latter ends, it gives this thread time to begin the next request, which has arrived.
template <class Request>
Observer::Moment depth_of_requests(const Request& request) {
  constexpr std::size_t kRequests = 100;
  const Depth depth;
  TaskCount begun{0};
  TaskCount taken{0};
  Executor executor({.threads = 2, .observer = &depth});
  TaskGroup requests(executor);
  for (std::size_t number = 1; number <= kRequests; ++number) {
    requests.run([&, number] {
      begun.fetch_add(1, base::memory_order_relaxed);
      const auto here = [&, number] {
        while (taken.load(base::memory_order_relaxed) < number) std::this_thread::yield();
      };
      const auto there = [&, number] {
        taken.fetch_add(1, base::memory_order_relaxed);
        for (int turn = 0; turn < 100; ++turn) {
          if (begun.load(base::memory_order_relaxed) > number) break;
          std::this_thread::yield();
        }
      };
      request(executor, here, there);
    });
    while (taken.load(base::memory_order_relaxed) < number) std::this_thread::yield();
  }
  wait_asleep(requests);
  EXPECT_EQ(begun.load(), kRequests);
  return depth.deepest();
}

// A request, and the half of another one that its worker does while it waits.
constexpr Observer::Moment kRequestAndHalf = 2;

TEST(Observer, SeesThatRequestsThatForkAreNotNested) {
  EXPECT_LE(depth_of_requests([](Executor& executor, const auto& here, const auto& there) {
              fork_join(executor, here, there);
            }),
            kRequestAndHalf);
}

TEST(Observer, SeesThatRequestsWithLoopsAreNotNested) {
  EXPECT_LE(depth_of_requests([](Executor& executor, const auto& here, const auto& there) {
              parallel_for(executor, 0, 2, [&](int i) { i == 0 ? here() : there(); });
            }),
            kRequestAndHalf);
}

TEST(Observer, SeesThatRequestsThatWaitForGroupsAreNotNested) {
  EXPECT_LE(depth_of_requests([](Executor& executor, const auto& here, const auto& there) {
              TaskGroup parts(executor);
              parts.run(there);
              here();
              parts.wait();
            }),
            kRequestAndHalf);
}

TEST(Observer, IsNotifiedHowManyTasksWereStolen) {
  constexpr unsigned kTasks = 8;
  const Noting noting;
  {
    Executor executor({.threads = 2, .observer = &noting});
    TaskGroup group(executor);
    group.run([&] {
      // This worker does nothing else, so only thieves can run them.
      TaskCount left{kTasks};
      TaskGroup inner(executor);
      for (unsigned i = 0; i < kTasks; ++i) {
        inner.run([&] { left.fetch_sub(1, base::memory_order_relaxed); });
      }
      while (left.load(base::memory_order_relaxed) != 0) std::this_thread::yield();
      inner.wait();
    });
    wait_asleep(group);
  }
  EXPECT_EQ(noting.stolen_tasks.load(), kTasks);
}

TEST(Observer, IsNotifiedOfASleepAndTheWakeUp) {
  const Noting noting;
  {
    Executor executor({.threads = 1, .observer = &noting});
    TaskGroup group(executor);
    group.run([] {});
    wait_asleep(group);
    while (noting.parks.load(base::memory_order_relaxed) == 0) std::this_thread::yield();
    group.run([] {});
    wait_asleep(group);
  }
  EXPECT_GE(noting.parks.load(), 1U);
  EXPECT_GE(noting.woken.load(), 1U);
}

TEST(ObservedPhase, BeginsAndEndsWithTheObject) {
  const Noting noting;
  {
    const ObservedPhase outer(&noting, "outer");
    const ObservedPhase inner(&noting, "inner");
    EXPECT_EQ(noting.phases.load(), 2U);
  }
  noting.thread_ends();  // no phase is open
  const ObservedPhase nobody(nullptr, "not observed");
}

TEST(Executor, ReportsTheNumberOfQueuedTasks) {
  Executor executor({.threads = 1});
  EXPECT_EQ(executor.queued_hint(), 0U);
  base::atomic<bool> goes_on{false};
  base::atomic<bool> runs{false};
  TaskGroup group(executor);
  group.run([&] {
    TaskGroup inner(executor);
    inner.run([] {});
    inner.run([] {});
    runs.store(true, base::memory_order_release);
    while (!goes_on.load(base::memory_order_acquire)) std::this_thread::yield();
    inner.wait();
  });
  while (!runs.load(base::memory_order_acquire)) std::this_thread::yield();
  group.run([] {});
  EXPECT_EQ(executor.queued_hint(), 3U);
  goes_on.store(true, base::memory_order_release);
  group.wait();
  EXPECT_EQ(executor.queued_hint(), 0U);
}

}  // namespace
}  // namespace fathom::rt
