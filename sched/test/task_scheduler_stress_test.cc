// The scheduler under contention, compared with an oracle: each task runs as often as it became
// ready, never before its dependencies, never on two threads at the same time.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/sched/task_scheduler.h"
#include "queue_oracle.h"

namespace fathom::sched {
namespace {

using rt::linger;
using rt::look_again;
using rt::Yields;
using Handle = TaskScheduler::Handle;
using Outcome = TaskScheduler::Outcome;
using Spec = TaskScheduler::Spec;
using Status = TaskScheduler::Status;

// Runs f(number) on so many threads.
template <class F>
void on_threads(unsigned count, const F& f) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back([&f, i] { f(i); });
  for (std::thread& thread : threads) thread.join();
}

// The expectations for one task of a graph.
struct Node {
  base::atomic<int> running{0};
  base::atomic<int> runs{0};
  std::vector<const Node*> after;  // must have run before
  base::atomic<int>* wrong = nullptr;
  base::atomic<int>* left = nullptr;
  int blocks = 0;  // how often it blocks; another thread then calls ready()
  base::atomic<std::uint64_t>* to_wake = nullptr;
};

std::uint64_t packed(Handle task) {
  return std::uint64_t{task.generation} << 32 | task.index;
}

Handle unpacked(std::uint64_t word) {
  return {.index = static_cast<std::uint32_t>(word),
          .generation = static_cast<std::uint32_t>(word >> 32)};
}

Outcome visit(TaskScheduler& /*scheduler*/, Handle task, void* context) noexcept {
  auto& node = *static_cast<Node*>(context);
  if (node.running.exchange(1, base::memory_order_relaxed) != 0) ++*node.wrong;
  for (const Node* const before : node.after) {
    if (before->runs.load(base::memory_order_relaxed) != before->blocks + 1) ++*node.wrong;
  }
  const int run = node.runs.load(base::memory_order_relaxed);
  node.runs.store(run + 1, base::memory_order_relaxed);
  node.running.store(0, base::memory_order_relaxed);
  if (run < node.blocks) {
    // From here on another thread may make the task ready while this body is still running.
    node.to_wake->store(packed(task), base::memory_order_release);
    linger(run % 3);
    return Outcome::blocked;
  }
  --*node.left;
  return Outcome::done;
}

// Layers of tasks that depend on some tasks of the previous layer; several threads create and start
// them while others run them and wake the blocked ones.
void run_graph(unsigned seed, unsigned channels, std::uint32_t most) {
  constexpr int kTasks = 300;
  constexpr int kLayer = 20;
  TaskScheduler scheduler({.tasks = kTasks, .dependencies = 4 * kTasks, .channels = channels});
  std::mt19937 random(seed);
  base::atomic<int> wrong{0};
  base::atomic<int> left{kTasks};
  std::vector<Node> nodes(kTasks);
  std::vector<base::atomic<std::uint64_t>> to_wake(kTasks);
  std::vector<Handle> tasks(kTasks);
  std::vector<Handle> sources;
  for (int i = 0; i < kTasks; ++i) {
    nodes[i].wrong = &wrong;
    nodes[i].left = &left;
    nodes[i].to_wake = &to_wake[i];
    nodes[i].blocks = static_cast<int>(random() % 3);
    const Spec spec{&visit, &nodes[i], static_cast<unsigned>(random() % channels)};
    ASSERT_EQ(scheduler.create({&spec, 1}, {&tasks[i], 1}), Status::ok);
    std::vector<Handle> on;
    for (unsigned edge = random() % 4; i >= kLayer && edge > 0; --edge) {
      const int before = i - i % kLayer - 1 - static_cast<int>(random() % kLayer);
      nodes[i].after.push_back(&nodes[before]);
      on.push_back(tasks[before]);
    }
    ASSERT_EQ(scheduler.add_dependencies(tasks[i], on), Status::ok);
    if (on.empty()) sources.push_back(tasks[i]);
  }
  on_threads(5, [&](unsigned number) {
    if (number < 2) {
      const std::size_t half = sources.size() / 2;
      const std::span all(sources);
      EXPECT_TRUE(scheduler.ready(number == 0 ? all.first(half) : all.subspan(half)));
    }
    while (left.load() > 0) {
      if (number == 4) {
        for (base::atomic<std::uint64_t>& word : to_wake) {
          const std::uint64_t task = word.exchange(0, base::memory_order_acquire);
          if (task == 0) continue;
          EXPECT_EQ(scheduler.ready(unpacked(task)), Status::ok);
        }
      } else if ((number % 2 == 0 ? scheduler.execute(number % channels, most)
                                  : scheduler.execute_line(number % channels, most)) == 0) {
        look_again();
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  for (const Node& node : nodes) EXPECT_EQ(node.runs, node.blocks + 1);
  for (const Handle task : tasks) EXPECT_EQ(scheduler.ready(task), Status::stale);
}

TEST(TaskSchedulerStress, B7RandomGraphsRunEachTaskInOrderAndAsOftenAsItWasReady) {
  constexpr std::array<unsigned, 5> kChannels = {1, 2, 3, 4, 70};
  for (unsigned seed = 0; seed < 25; ++seed) run_graph(seed, kChannels.at(seed % 5), 1 + seed % 7);
}

Outcome nothing(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  static_cast<base::atomic<int>*>(context)->fetch_add(1, base::memory_order_relaxed);
  return Outcome::done;
}

TEST(TaskSchedulerStress, B3IsNeverFullIfThereIsRoomForAll) {
  constexpr unsigned kThreads = 4;
  constexpr std::size_t kBatch = 3;
  TaskScheduler scheduler({.tasks = kThreads * kBatch, .dependencies = kThreads * (kBatch - 1)});
  base::atomic<int> runs{0};
  on_threads(kThreads, [&](unsigned number) {
    Yields yields(number);
    const std::vector<Spec> specs(kBatch, Spec{&nothing, &runs});
    std::vector<Handle> tasks(kBatch);
    const std::span all(tasks);
    for (int round = 0; round < 3000; ++round) {
      yields.maybe();
      ASSERT_EQ(scheduler.create(specs, tasks), Status::ok);
      ASSERT_EQ(scheduler.add_dependencies(tasks[0], all.subspan(1)), Status::ok);
      // This thread may only reuse what it has freed: executing could run tasks of others.
      ASSERT_TRUE(scheduler.free(all));
      // The edges of a freed task are freed with its dependencies.
    }
  });
  EXPECT_EQ(runs, 0);
}

TEST(TaskSchedulerStress, B6NoEdgeOfASharedDependencyIsLost) {
  constexpr unsigned kThreads = 4;
  for (int round = 0; round < 500; ++round) {
    TaskScheduler scheduler({.tasks = kThreads + 1, .dependencies = kThreads});
    base::atomic<int> runs{0};
    const Spec spec{&nothing, &runs};
    Handle shared;
    ASSERT_EQ(scheduler.create({&spec, 1}, {&shared, 1}), Status::ok);
    base::atomic<unsigned> arrived{0};
    on_threads(kThreads + 1, [&](unsigned number) {
      ++arrived;
      while (arrived < kThreads + 1) look_again();
      if (number == 0) {  // it finishes while dependents are being added
        EXPECT_EQ(scheduler.ready(shared), Status::ok);
      } else {
        Handle own;
        EXPECT_EQ(scheduler.create({&spec, 1}, {&own, 1}), Status::ok);
        EXPECT_EQ(scheduler.add_dependencies(own, {&shared, 1}), Status::ok);
      }
      while (runs < static_cast<int>(kThreads) + 1) {
        if (!scheduler.execute_one(0)) look_again();
      }
    });
    EXPECT_EQ(runs, static_cast<int>(kThreads) + 1);
    EXPECT_FALSE(scheduler.execute_one(0));
  }
}

TEST(TaskSchedulerStress, B8OnlyOneOfManyThreadsMakesATaskReady) {
  constexpr unsigned kThreads = 4;
  for (int round = 0; round < 500; ++round) {
    TaskScheduler scheduler({.tasks = 2});
    base::atomic<int> runs{0};
    base::atomic<unsigned> arrived{0};
    base::atomic<int> did{0};
    const Spec spec{&nothing, &runs};
    Handle task;
    ASSERT_EQ(scheduler.create({&spec, 1}, {&task, 1}), Status::ok);
    on_threads(kThreads, [&](unsigned /*number*/) {
      ++arrived;
      while (arrived < kThreads) look_again();
      const Status status = scheduler.ready(task);
      if (status == Status::ok) {
        ++did;
      } else {
        EXPECT_EQ(status, Status::already);
      }
    });
    EXPECT_EQ(did, 1);
    EXPECT_TRUE(scheduler.execute_one(0));
    EXPECT_FALSE(scheduler.execute_one(0));
    EXPECT_EQ(runs, 1);
  }
}

// Makes itself ready again until the other task has run.
struct Again {
  base::atomic<bool>* over;
  base::atomic<std::uint64_t> runs{0};
};

Outcome run_again(TaskScheduler& scheduler, Handle task, void* context) noexcept {
  auto& again = *static_cast<Again*>(context);
  ++again.runs;
  if (again.over->load()) return Outcome::done;
  EXPECT_EQ(scheduler.ready(task), Status::ok);
  return Outcome::blocked;
}

Outcome end(TaskScheduler& /*scheduler*/, Handle /*task*/, void* context) noexcept {
  static_cast<base::atomic<bool>*>(context)->store(true);
  return Outcome::done;
}

TEST(TaskSchedulerStress, B12NoTaskStarvesBesideTasksThatResubmitThemselves) {
  constexpr int kBusy = 7;
  TaskScheduler scheduler({.tasks = kBusy + 1});
  base::atomic<bool> over{false};
  std::vector<Again> busy(kBusy);
  std::vector<Handle> tasks;
  for (Again& one : busy) {
    one.over = &over;
    const Spec spec{&run_again, &one};
    ASSERT_EQ(scheduler.create({&spec, 1}, {&tasks.emplace_back(), 1}), Status::ok);
  }
  const Spec spec{&end, &over};
  ASSERT_EQ(scheduler.create({&spec, 1}, {&tasks.emplace_back(), 1}), Status::ok);
  EXPECT_EQ(scheduler.ready(tasks.back()), Status::ok);  // the oldest
  EXPECT_TRUE(scheduler.ready(std::span(tasks).first(kBusy)));
  std::uint64_t executed = 0;
  while (scheduler.execute_one(0)) {
    ++executed;
    if (over) continue;
    ASSERT_LE(executed, 2U * (kBusy + 1));
  }
  EXPECT_TRUE(over);
}

TEST(TaskSchedulerStress, ManyTasksRunWithFourProducersAndFourConsumers) {
  constexpr int kPerProducer = 20'000;
  constexpr unsigned kProducers = 4;
  for (const std::size_t batch : {1U, 5U, 16U}) {
    TaskScheduler scheduler({.tasks = 64, .channels = kProducers});
    base::atomic<int> runs{0};
    on_threads(2 * kProducers, [&](unsigned number) {
      if (number < kProducers) {
        const std::vector<Spec> specs(batch, Spec{&nothing, &runs, number});
        std::vector<Handle> tasks(batch);
        for (int made = 0; made < kPerProducer; made += static_cast<int>(batch)) {
          if (number % 2 == 0) {
            while (scheduler.spawn(specs) != Status::ok) look_again();
            continue;
          }
          while (scheduler.create(specs, tasks) != Status::ok) look_again();
          ASSERT_TRUE(scheduler.ready(tasks));
        }
      } else {
        while (runs < static_cast<int>(kProducers) * kPerProducer) {
          if (scheduler.execute(number % kProducers, 1 + number % 8) == 0) look_again();
        }
      }
    });
    EXPECT_FALSE(scheduler.execute_one(0));
  }
}

}  // namespace
}  // namespace fathom::sched
