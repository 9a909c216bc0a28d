// Tests of TaskGraph: order, exceptions, cancellation, cycles, DOT, and random graphs.

#include "fathom/rt/task_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

using Handle = TaskGraph::Handle;
using Names = std::vector<std::string>;

// The message of the exception that the call throws; empty if none.
template <class Error = std::exception, class F>
std::string caught(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string dot_of(const TaskGraph& graph) {
  std::ostringstream out;
  graph.dot(out);
  return out.str();
}

// ---- Runs

TEST(TaskGraph, ATaskRunsAfterItsDependencies) {
  Executor executor({.threads = 2});
  std::string text;
  TaskGraph graph;
  const auto load = graph.add("load", [&] { text += "load "; });
  const auto parse = graph.add("parse", [&] { text += "parse "; }).after(load);
  graph.add("report", [&] { text += "report."; }).after(parse, load);
  graph.run(executor);
  EXPECT_EQ(text, "load parse report.");
}

TEST(TaskGraph, TheOrderFollowsTheEdgesNotTheOrderOfAdding) {
  Executor executor({.threads = 1});
  std::string text;
  TaskGraph graph;
  const auto last = graph.add([&] { text += "last"; });
  const auto middle = graph.add([&] { text += "middle "; });
  const auto first = graph.add([&] { text += "first "; });
  last.after(middle);
  middle.after(first);
  graph.run(executor);
  EXPECT_EQ(text, "first middle last");
}

TEST(TaskGraph, AnEmptyGraphRunsAndNeedsNoThread) {
  Executor executor({.threads = 1});
  TaskGraph graph;
  graph.run(executor);
  EXPECT_TRUE(graph.run(executor, CancelToken()));
  EXPECT_EQ(executor.started_threads(), 0U);
}

TEST(TaskGraph, EachRunRunsTheWholeGraph) {
  Executor executor({.threads = 2});
  std::vector<int> sums;
  int a = 0;
  int b = 0;
  TaskGraph graph;
  const std::vector<Handle> parts = {graph.add([&] { ++a; }), graph.add([&] { ++b; })};
  graph.add([&] { sums.push_back(a + b); }).after(parts);
  for (int round = 0; round < 5; ++round) graph.run(executor);
  EXPECT_EQ(sums, (std::vector{2, 4, 6, 8, 10}));
}

TEST(TaskGraph, MayGrowBetweenRuns) {
  Executor executor({.threads = 1});
  std::string text;
  TaskGraph graph;
  const auto c = graph.add([&] { text += 'c'; });
  graph.run(executor);
  const auto b = graph.add([&] { text += 'b'; });
  c.after(b);
  graph.run(executor);
  b.after(graph.add([&] { text += 'a'; }));
  graph.run(executor);
  EXPECT_EQ(text, "cbcabc");
}

TEST(TaskGraph, MayRunOnDifferentExecutorsInTurn) {
  int runs = 0;
  TaskGraph graph;
  graph.add([&] { ++runs; });
  for (int round = 0; round < 3; ++round) {
    Executor executor({.threads = 1});
    graph.run(executor);
  }
  EXPECT_EQ(runs, 3);
}

TEST(TaskGraph, FunctionsMayBeMoveOnlyAndMayReturnAValue) {
  Executor executor({.threads = 1});
  auto number = std::make_unique<int>(6);
  int* const seen = number.get();
  const auto twice = [](int& value) { return value *= 2; };
  int other = 1;
  TaskGraph graph;
  graph.add("owner", [number = std::move(number)]() mutable { return ++*number; });
  graph.add("bound", std::bind(twice, std::ref(other)));
  graph.run(executor);
  graph.run(executor);
  EXPECT_EQ(*seen, 8);
  EXPECT_EQ(other, 4);
}

TEST(TaskGraph, RepeatingADependencyHasNoEffect) {
  Executor executor({.threads = 2});
  std::string text;
  TaskGraph graph;
  const auto first = graph.add([&] { text += 'a'; });
  graph.add([&] { text += 'b'; }).after(first, first).after(first);
  for (int round = 0; round < 3; ++round) graph.run(executor);
  EXPECT_EQ(text, "ababab");
}

// ---- Random graphs

// Tasks that check that all of their dependencies have run in this run. The counters are not
// atomic, so ThreadSanitizer detects a missing order.
class Oracle {
 public:
  Oracle(unsigned seed, unsigned tasks, unsigned most) : before_(tasks), runs_(tasks) {
    std::mt19937 engine(seed);
    std::vector<Handle> handles;
    for (unsigned task = 0; task < tasks; ++task) {
      handles.push_back(graph_.add([this, task] { visit(task); }));
    }
    // Edges follow a random order, so that they lead to smaller and to larger numbers.
    std::vector<unsigned> order(tasks);
    for (unsigned i = 0; i < tasks; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    for (unsigned place = 1; place < tasks; ++place) {
      for (unsigned count = static_cast<unsigned>(engine() % (most + 1)); count > 0; --count) {
        const unsigned before = order[engine() % place];
        before_[order[place]].push_back(before);
        handles[order[place]].after(handles[before]);
      }
    }
  }

  // Whether each task ran once more, after all of its dependencies.
  bool runs_right(Executor& executor) {
    ++round_;
    graph_.run(executor);
    return std::all_of(runs_.begin(), runs_.end(),
                       [this](unsigned runs) { return runs == round_; });
  }

 private:
  static constexpr unsigned kWrong = 1'000'000;

  // A task that runs too early, or twice, never counts correctly again.
  void visit(unsigned task) {
    unsigned early = 0;
    for (const unsigned before : before_[task]) early += runs_[before] != round_ ? 1 : 0;
    runs_[task] += early == 0 ? 1 : kWrong;
  }

  TaskGraph graph_;
  std::vector<std::vector<unsigned>> before_;
  std::vector<unsigned> runs_;
  unsigned round_ = 0;
};

TEST(TaskGraph, RandomGraphsRunEachTaskOnceAndInOrder) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    for (unsigned seed = 0; seed < 20; ++seed) {
      Oracle oracle(seed, 50 + seed * 40, 1 + seed % 5);
      for (int round = 0; round < 10; ++round) {
        ASSERT_TRUE(oracle.runs_right(executor))
            << threads << " threads, seed " << seed << ", round " << round;
      }
    }
  }
}

TEST(TaskGraph, TheLastOfManyDependenciesIsAlwaysNoticed) {
  Executor executor({.threads = 4});
  constexpr unsigned kParts = 8;
  std::vector<int> parts(kParts);
  int all = 0;
  TaskGraph graph;
  std::vector<Handle> handles;
  for (int& part : parts) handles.push_back(graph.add([&part] { ++part; }));
  graph.add([&] { all = std::accumulate(parts.begin(), parts.end(), 0); }).after(handles);
  for (int round = 1; round <= 2000; ++round) {
    graph.run(executor);
    ASSERT_EQ(all, static_cast<int>(kParts) * round);
  }
}

// ---- Shapes

TEST(TaskGraph, ALongChainDoesNotRecurse) {
  Executor executor({.threads = 2});
  constexpr unsigned kTasks = 100'000;
  unsigned ran = 0;
  TaskGraph graph;
  Handle last = graph.add([&] { ran = 1; });
  for (unsigned i = 1; i < kTasks; ++i) {
    last = graph.add([&ran, i] { ran += ran == i ? 1 : 0; }).after(last);
  }
  graph.run(executor);
  EXPECT_EQ(ran, kTasks);
  EXPECT_TRUE(graph.find_cycle().empty());
}

// Each task waits until as many tasks as workers have begun.
TEST(TaskGraph, AWideGraphUsesAllWorkers) {
  for (const bool with_source : {true, false}) {
    Executor executor({.threads = 4});
    std::barrier together(4);
    TaskGraph graph;
    const auto source = graph.add([] {});
    for (int i = 0; i < 1000; ++i) {
      const auto one = graph.add([&] { together.arrive_and_wait(); });
      if (with_source) one.after(source);
    }
    graph.run(executor);
    EXPECT_EQ(executor.started_threads(), 4U);
  }
}

// One worker, and a chain of tasks, the first of which has another task submitted from outside.
TEST(TaskGraph, ALongChainDoesNotStarveTasksFromOutside) {
  constexpr unsigned kTasks = 10'000;
  Executor executor({.threads = 1});
  unsigned ran = 0;
  unsigned ran_before = kTasks;
  TaskGroup outside(executor);
  TaskGraph graph;
  Handle last =
      graph.add([&] { std::thread([&] { outside.run([&] { ran_before = ran; }); }).join(); });
  for (unsigned i = 1; i < kTasks; ++i) last = graph.add([&] { ++ran; }).after(last);
  graph.run(executor);
  outside.wait();
  EXPECT_LT(ran_before, kTasks / 2);
  EXPECT_EQ(ran, kTasks - 1);
}

TEST(TaskGraph, ATaskMayRunAnotherGraphOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U}) {
    Executor executor({.threads = threads});
    std::vector<std::unique_ptr<TaskGraph>> inner;
    std::vector<int> results(8);
    TaskGraph outer;
    int sum = 0;
    std::vector<Handle> parts;
    for (int& result : results) {
      TaskGraph& graph = *inner.emplace_back(std::make_unique<TaskGraph>());
      const auto one = graph.add([&result] { result = 1; });
      graph.add([&result] { result *= 10; }).after(one);
      parts.push_back(outer.add([&] { graph.run(executor); }));
    }
    outer.add([&] { sum = std::accumulate(results.begin(), results.end(), 0); }).after(parts);
    outer.run(executor);
    EXPECT_EQ(sum, 80);
  }
}

// P6, P7: the graph is destroyed as soon as run() returns.
TEST(TaskGraph, P6P7NothingAccessesAGraphAfterItsRun) {
  Executor executor({.threads = 2});
  for (int round = 0; round < 1000; ++round) {
    base::atomic<int> ran{0};
    const auto count = [&ran] { ran.fetch_add(1, base::memory_order_relaxed); };
    TaskGraph graph;
    const auto source = graph.add(count);
    graph.add(count).after(source);
    graph.add(count).after(source);
    graph.run(executor);
    ASSERT_EQ(ran.load(base::memory_order_relaxed), 3);
  }
}

// Counts allocations on the only worker, from the call of run() to its end.
TEST(TaskGraph, RunningAllocatesNothing) {
  Executor executor({.threads = 1});
  TaskGraph graph;
  const auto source = graph.add([] {});
  for (int i = 0; i < 100; ++i) graph.add([] {}).after(graph.add([] {}).after(source));
  graph.run(executor);
  bool allocated = false;
  const std::function<void()> note = [&] { allocated = true; };
  TaskGroup group(executor);
  group.run([&] {
    const Allocations::Hook hook(note);
    graph.run(executor);
  });
  wait_asleep(group);
  EXPECT_FALSE(allocated);
  {
    const Allocations::Hook hook(note);
    graph.run(executor);
  }
  EXPECT_FALSE(allocated);
}

// ---- Exceptions

TEST(TaskGraph, G2AnExceptionLeavesTheRunAndSkipsTheDependents) {
  Executor executor({.threads = 2});
  int before = 0;
  int after = 0;
  TaskGraph graph;
  const auto a = graph.add([&] { ++before; });
  const auto b = graph.add([] { throw std::runtime_error("no"); }).after(a);
  graph.add([&] { ++after; }).after(b);
  EXPECT_EQ(caught<std::runtime_error>([&] { graph.run(executor); }), "no");
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 0);
}

TEST(TaskGraph, AnExceptionSkipsAllTasksThatHaveNotBegun) {
  Executor executor({.threads = 1});
  int ran = 0;
  TaskGraph graph;
  const auto source = graph.add([] {});
  graph.add([] { throw std::runtime_error("no"); }).after(source);
  for (int i = 0; i < 10; ++i) graph.add([&] { ++ran; }).after(source);
  // The worker continues with the first of the tasks that it has made ready.
  EXPECT_EQ(caught([&] { graph.run(executor); }), "no");
  EXPECT_EQ(ran, 0);
}

// Notices its destruction: a dropped exception is destroyed when its task has failed.
struct Noticed {
  ~Noticed() { gone.store(true, base::memory_order_release); }
  base::atomic<bool>& gone;
};

TEST(TaskGraph, AnExceptionEndsTheChainsOfOtherWorkersToo) {
  Executor executor({.threads = 3});
  std::barrier together(3);
  base::atomic<bool> dropped{false};
  int ran = 0;
  TaskGraph graph;
  for (int i = 0; i < 2; ++i) {
    graph.add([&] {
      together.arrive_and_wait();
      throw Noticed{dropped};
    });
  }
  const auto waits = graph.add([&] {
    together.arrive_and_wait();
    while (!dropped.load(base::memory_order_acquire)) std::this_thread::yield();
  });
  graph.add([&] { ++ran; }).after(waits);
  EXPECT_THROW(graph.run(executor), Noticed);
  EXPECT_EQ(ran, 0);
}

TEST(TaskGraph, OneOfSeveralExceptionsIsThrown) {
  Executor executor({.threads = 2});
  std::barrier together(2);
  TaskGraph graph;
  for (const char* name : {"a", "b"}) {
    graph.add(name, [&together, name] {
      together.arrive_and_wait();
      throw std::runtime_error(name);
    });
  }
  for (int round = 0; round < 50; ++round) {
    const std::string error = caught([&] { graph.run(executor); });
    EXPECT_TRUE(error == "a" || error == "b");
  }
}

// Before and after the task that throws, some counts are neither in their initial state nor zero.
TEST(TaskGraph, RunsCompletelyAfterARunThatThrew) {
  for (const unsigned threads : {1U, 4U}) {
    Executor executor({.threads = threads});
    bool fails = true;
    base::atomic<int> ran{0};
    TaskGraph graph;
    const auto good = graph.add([] {});
    // It throws when the others have already counted that `good` has run.
    const auto bad = graph.add([&] {
      if (fails) throw std::runtime_error("no");
    });
    bad.after(good);
    for (int i = 0; i < 20; ++i) {
      const auto part = graph.add([&] { ran.fetch_add(1, base::memory_order_relaxed); });
      part.after(good, bad, graph.add([] {}).after(good));
    }
    for (int round = 0; round < 20; ++round) {
      fails = true;
      EXPECT_THROW(graph.run(executor), std::runtime_error);
      EXPECT_EQ(ran.exchange(0, base::memory_order_relaxed), 0);
      fails = false;
      graph.run(executor);
      EXPECT_EQ(ran.exchange(0, base::memory_order_relaxed), 20);
    }
  }
}

TEST(TaskGraph, AnExecutorWithoutThreadsIsAnErrorAndTheGraphStaysUsable) {
  bool refuses = true;
  Executor executor({.threads = 1, .start_thread = [&](auto function) -> std::thread {
                       if (refuses) throw std::system_error(EAGAIN, std::generic_category());
                       return std::thread(function);
                     }});
  int ran = 0;
  TaskGraph graph;
  graph.add([&] { ++ran; }).after(graph.add([&] { ++ran; }));
  EXPECT_THROW(graph.run(executor), base::Error);
  EXPECT_EQ(ran, 0);
  refuses = false;
  graph.run(executor);
  EXPECT_EQ(ran, 2);
}

// ---- Cancellation

TEST(TaskGraph, G3ACancelledRunRunsNothingAndReportsIt) {
  Executor executor({.threads = 1});
  int ran = 0;
  TaskGraph graph;
  graph.add([&] { ++ran; });
  const CancelSource source;
  source.cancel();
  EXPECT_FALSE(graph.run(executor, source.token()));
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(graph.run(executor, CancelToken()));
  EXPECT_EQ(ran, 1);
}

TEST(TaskGraph, BeginsNoTaskAfterTheDeadlineOfItsToken) {
  Executor executor({.threads = 2});
  const auto deadline = base::monotonic_now() + std::chrono::milliseconds(1);
  const CancelSource source = CancelSource::with_deadline(deadline);
  TaskGraph graph;
  const auto first = graph.add([&] {
    while (base::monotonic_now() < deadline) {
    }
  });
  bool ran = false;
  graph.add([&] { ran = true; }).after(first);
  EXPECT_FALSE(graph.run(executor, source.token()));
  EXPECT_FALSE(ran);
  EXPECT_TRUE(source.cancelled());
}

TEST(TaskGraph, CancelsItsTokenAtTheDeadlineDuringATask) {
  Executor executor({.threads = 1});
  const auto deadline = base::monotonic_now() + std::chrono::milliseconds(1);
  const CancelSource source = CancelSource::with_deadline(deadline);
  TaskGraph graph;
  const auto waits = graph.add([&] {
    while (!source.cancelled()) std::this_thread::yield();
  });
  bool ran = false;
  graph.add([&] { ran = true; }).after(waits);
  EXPECT_FALSE(graph.run(executor, source.token()));
  EXPECT_FALSE(ran);
}

TEST(TaskGraph, CancellingSkipsTasksThatHaveNotBegun) {
  Executor executor({.threads = 1});
  CancelSource source;
  std::string text;
  bool cancels = true;
  TaskGraph graph;
  const auto a = graph.add([&] { text += 'a'; });
  const auto b = graph.add([&] {
    text += 'b';
    if (cancels) source.cancel_from_signal();  // without callbacks
  });
  const auto c = graph.add([&] { text += 'c'; });
  c.after(b.after(a), graph.add([] {}).after(a));
  EXPECT_FALSE(graph.run(executor, source.token()));
  EXPECT_EQ(text, "ab");
  cancels = false;
  source = CancelSource();
  EXPECT_TRUE(graph.run(executor, source.token()));
  EXPECT_EQ(text, "ababc");
}

TEST(TaskGraph, CancellingSkipsQueuedTasksToo) {
  Executor executor({.threads = 2});
  for (int round = 0; round < 100; ++round) {
    const CancelSource source;
    base::atomic<unsigned> ran{0};
    TaskGraph graph;
    const auto first = graph.add([] {});
    for (int i = 0; i < 100; ++i) {
      graph
          .add([&] {
            source.cancel();
            ran.fetch_add(1, base::memory_order_relaxed);
          })
          .after(first);
    }
    ASSERT_FALSE(graph.run(executor, source.token()));
    const unsigned count = ran.load(base::memory_order_relaxed);
    ASSERT_TRUE(count == 1 || count == 2) << count;  // one per worker
  }
}

TEST(TaskGraph, ARunCancelledByItsLastTaskIsComplete) {
  Executor executor({.threads = 1});
  const CancelSource source;
  TaskGraph graph;
  graph.add([&] { source.cancel(); }).after(graph.add([] {}));
  EXPECT_TRUE(graph.run(executor, source.token()));
}

TEST(TaskGraph, AnExceptionTakesPrecedenceOverACancellation) {
  Executor executor({.threads = 1});
  const CancelSource source;
  TaskGraph graph;
  const auto a = graph.add([&] {
    source.cancel();
    throw std::runtime_error("no");
  });
  graph.add([] {}).after(a);
  EXPECT_EQ(caught([&] { static_cast<void>(graph.run(executor, source.token())); }), "no");
}

// ---- Errors

TEST(TaskGraph, G1TasksOfACycleAreNamedBeforeAnythingRuns) {
  Executor executor({.threads = 1});
  int ran = 0;
  TaskGraph graph;
  graph.add("outside", [&] { ++ran; });
  const auto a = graph.add("a", [&] { ++ran; });
  const auto b = graph.add("b", [&] { ++ran; });
  a.after(b);
  EXPECT_TRUE(graph.find_cycle().empty());
  b.after(a);
  graph.add("behind", [&] { ++ran; }).after(b);
  EXPECT_EQ(graph.find_cycle(), (Names{"a", "b"}));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(caught<base::Error>([&] { graph.run(executor); }),
              "tasks wait for each other: a waits for b, b waits for a");
  }
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(executor.started_threads(), 0U);
}

TEST(TaskGraph, ACycleIsNamedInTheOrderOfDependencies) {
  TaskGraph graph;
  std::vector<Handle> tasks;
  for (const char* name : {"w", "x", "y", "z"}) tasks.push_back(graph.add(name, [] {}));
  const auto ring = [&](const std::vector<unsigned>& places) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      tasks[places[i]].after(tasks[places[(i + 1) % places.size()]]);
    }
  };
  tasks[0].after(tasks[1]);  // w is not on the cycle
  ring({3, 1, 2});
  EXPECT_EQ(graph.find_cycle(), (Names{"x", "y", "z"}));
}

TEST(TaskGraph, ANewCycleIsFoundAtTheNextRun) {
  Executor executor({.threads = 1});
  int ran = 0;
  TaskGraph graph;
  const auto a = graph.add("a", [&] { ++ran; });
  const auto b = graph.add("b", [&] { ++ran; }).after(a);
  graph.run(executor);
  a.after(b);
  EXPECT_THROW(graph.run(executor), base::Error);
  EXPECT_EQ(ran, 2);
}

TEST(TaskGraph, AVeryLongCycleIsFoundAndNamedInPart) {
  Executor executor({.threads = 1});
  TaskGraph graph;
  const auto first = graph.add([] {});
  Handle last = first;
  for (int i = 1; i < 100'000; ++i) last = graph.add([] {}).after(last);
  first.after(last);
  EXPECT_EQ(graph.find_cycle().size(), 100'000U);
  const std::string error = caught<base::Error>([&] { graph.run(executor); });
  EXPECT_EQ(error.find("tasks wait for each other: task 0 waits for task 99999, task 99999 waits"),
            0U);
  EXPECT_NE(error.find("and so on, 100000 tasks"), std::string::npos);
  EXPECT_LT(error.size(), 1000U);
}

TEST(TaskGraph, ATaskCannotWaitForItself) {
  TaskGraph graph;
  const auto a = graph.add("a", [] {});
  EXPECT_EQ(caught<base::Error>([&] { a.after(a); }), "a cannot wait for itself");
  EXPECT_TRUE(graph.find_cycle().empty());
}

TEST(TaskGraph, ATaskCannotDependOnATaskOfAnotherGraph) {
  TaskGraph one;
  TaskGraph other;
  const auto a = one.add("a", [] {});
  const auto b = other.add("b\n", [] {});
  EXPECT_EQ(caught<base::Error>([&] { a.after(b); }),
            "a cannot wait for b\\x0a, a task of another graph");
}

TEST(TaskGraph, AnEmptyHandleIsRefused) {
  TaskGraph graph;
  const auto a = graph.add([] {});
  EXPECT_THROW(a.after(Handle()), base::Error);
  EXPECT_THROW(Handle().after(a), base::Error);
}

TEST(TaskGraph, CannotBeRunOrChangedWhileItRuns) {
  Executor executor({.threads = 1});
  TaskGraph graph;
  std::vector<std::string> errors;
  Handle a;
  a = graph.add("a", [&] {
    errors.push_back(caught<base::Error>([&] { graph.run(executor); }));
    errors.push_back(caught<base::Error>([&] { graph.add([] {}); }));
    errors.push_back(caught<base::Error>([&] { a.after(a); }));
  });
  graph.run(executor);
  EXPECT_EQ(errors, (Names{"the task graph is already running",
                           "the task graph cannot be changed while it runs",
                           "the task graph cannot be changed while it runs"}));
  errors.clear();
  graph.run(executor);
  EXPECT_EQ(errors.size(), 3U);
}

// The refused runs have no effect, and the others find the graph as the last run left it, without
// any other synchronization between the threads.
TEST(TaskGraph, OnlyOneOfSeveralThreadsCanRunIt) {
  Executor executor({.threads = 2});
  int ran = 0;
  TaskGraph graph;
  graph.add([&] { ++ran; }).after(graph.add([&] { ++ran; }));
  base::atomic<int> accepted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        if (caught<base::Error>([&] { graph.run(executor); }).empty()) {
          accepted.fetch_add(1, base::memory_order_relaxed);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 2 * accepted.load(base::memory_order_relaxed));
  EXPECT_GT(ran, 0);
}

// The threads take turns without synchronizing data: what a run sees is due to the graph alone, and
// ThreadSanitizer does not depend on two runs happening to meet.
TEST(TaskGraph, ARunSeesTheEffectsOfTheLastRunOnAnotherThread) {
  Executor executor({.threads = 2});
  int ran = 0;
  TaskGraph graph;
  graph.add([&] { ++ran; });
  base::atomic<int> turn{0};
  const auto run_every_other = [&](int first) {
    for (int round = first; round < 20; round += 2) {
      while (turn.load(base::memory_order_relaxed) != round) std::this_thread::yield();
      graph.run(executor);
      turn.store(round + 1, base::memory_order_relaxed);
    }
  };
  std::thread odd(run_every_other, 1);
  run_every_other(0);
  odd.join();
  EXPECT_EQ(ran, 20);
}

// ---- DOT

TEST(TaskGraph, DotShowsTasksAndEdgesInTheOrderOfAdding) {
  TaskGraph graph;
  const auto load = graph.add("load", [] {});
  const auto nameless = graph.add([] {});
  graph.add("report", [] {}).after(nameless, load);
  nameless.after(load);
  EXPECT_EQ(dot_of(graph), R"(digraph {
  t0 [label="load"];
  t1 [label="task 1"];
  t2 [label="report"];
  t0 -> t2;
  t0 -> t1;
  t1 -> t2;
}
)");
  EXPECT_EQ(dot_of(TaskGraph()), "digraph {\n}\n");
}

TEST(TaskGraph, G4DotShowsHostileNamesCorrectly) {
  TaskGraph graph;
  for (const char* name : {R"(a "quote")", R"(back\slash \N and a last one\)", "two\nlines",
                           "<b>{x|y}</b>", "&lt; & ;", "bell\a tab\t", "\xc3\xbc"}) {
    graph.add(name, [] {});
  }
  EXPECT_EQ(dot_of(graph), R"(digraph {
  t0 [label="a \"quote\""];
  t1 [label="back\\slash \\N and a last one\\"];
  t2 [label="two\nlines"];
  t3 [label="<b>{x|y}</b>"];
  t4 [label="&amp;lt; &amp; ;"];
  t5 [label="bell\\x07 tab\\x09"];
  t6 [label=")"
                           "\xc3\xbc"
                           R"("];
}
)");
}

}  // namespace
}  // namespace fathom::rt
