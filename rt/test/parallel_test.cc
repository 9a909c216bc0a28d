// Fork, fork_join(), parallel_for() and parallel_reduce().

#include "fathom/rt/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "allocations.h"
#include "counter.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/rt/cancel.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

// The message of the exception that the function throws; empty if none.
template <class F>
std::string caught(const F& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::uint64_t fib(Executor& executor, unsigned n) {
  if (n < 2) return n;
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  fork_join(
      executor, [&] { one = fib(executor, n - 1); }, [&] { two = fib(executor, n - 2); });
  return one + two;
}

// ---- Fork

using detail::Fork;

class CountingFork : public Fork {
 public:
  CountingFork() : Fork([](Fork& fork) noexcept { ++static_cast<CountingFork&>(fork).runs; }) {}
  ~CountingFork() = default;
  int runs = 0;  // by other workers
};

// A worker that is busy until the object ends.
class BusyWorker {
 public:
  explicit BusyWorker(Executor& executor) : group_(executor) {
    group_.run([this] {
      begun_.store(true, base::memory_order_relaxed);
      while (!over_.load(base::memory_order_relaxed)) std::this_thread::yield();
    });
    while (!begun_.load(base::memory_order_relaxed)) std::this_thread::yield();
  }
  ~BusyWorker() { over_.store(true, base::memory_order_relaxed); }
  BusyWorker(const BusyWorker&) = delete;
  BusyWorker& operator=(const BusyWorker&) = delete;

 private:
  base::atomic<bool> begun_{false};
  base::atomic<bool> over_{false};
  TaskGroup group_;  // waits at the end
};

TEST(Fork, IsLeftToAThreadOutsideIfNobodyIsIdle) {
  Executor executor({.threads = 1});
  const BusyWorker busy(executor);
  CountingFork fork;
  fork.offer(executor);
  EXPECT_EQ(executor.queued_hint(), 0U);
  EXPECT_TRUE(fork.take_back());
  EXPECT_EQ(fork.runs, 0);
}

TEST(Fork, OfAThreadOutsideIsTakenBackBeforeAWorkerTakesIt) {
  base::atomic<bool> go{false};
  Executor executor({.threads = 1, .start_thread = [&](std::function<void()> work) {
                       return std::thread([&go, work] {
                         while (!go.load(base::memory_order_relaxed)) std::this_thread::yield();
                         work();
                       });
                     }});
  CountingFork fork;
  fork.offer(executor);
  EXPECT_EQ(executor.queued_hint(), 1U);
  EXPECT_TRUE(fork.take_back());
  EXPECT_EQ(executor.queued_hint(), 0U);
  go.store(true, base::memory_order_relaxed);
  EXPECT_EQ(fork.runs, 0);
}

TEST(Fork, OfAThreadOutsideIsDoneByAWorkerThatTookIt) {
  Executor executor({.threads = 1});
  for (int taken = 0; taken < 100;) {
    bool done = false;
    auto work = [&] { done = true; };
    while (!executor.wants_split()) std::this_thread::yield();
    detail::Offer offer(executor, work);  // nothing is on offer if the worker has just become busy
    while (executor.queued_hint() != 0) std::this_thread::yield();
    const bool left = offer.is_left_or_throw();
    EXPECT_EQ(done, !left);
    if (!left) ++taken;
  }
}

TEST(Fork, IsLeftToTheCallerIfThereIsNoMemory) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  group.run([&] {
    // The deque has to grow for some of these, and cannot.
    std::vector<std::unique_ptr<CountingFork>> forks;
    for (int i = 0; i < 300; ++i) forks.push_back(std::make_unique<CountingFork>());
    const Allocations::Refusal refusal;
    for (const auto& fork : forks) fork->offer(executor);
    for (auto fork = forks.rbegin(); fork != forks.rend(); ++fork)
      EXPECT_TRUE((*fork)->take_back());
  });
  wait_asleep(group);
}

TEST(Fork, IsDoneByAnotherWorkerThatTookIt) {
  Executor executor({.threads = 2});
  TaskGroup group(executor);
  group.run([&] {
    base::atomic<bool> taken{false};
    auto work = [&] { taken.store(true, base::memory_order_release); };
    detail::Offer offer(executor, work);
    while (!taken.load(base::memory_order_acquire)) std::this_thread::yield();
    EXPECT_FALSE(offer.is_left_or_throw());
  });
  wait_asleep(group);
}

// take_back() of finished work must not run other tasks first.
TEST(Fork, ReturnsImmediatelyWhenItIsDone) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  TaskGroup older(executor);
  TaskGroup newer(executor);
  std::string order;
  group.run([&] {
    older.run([&] { order += "older "; });
    newer.run([&] { order += "newer "; });
    fork_join(
        executor, [&] { newer.wait(); }, [&] { order += "second "; });
    order += "joined ";
  });
  wait_asleep(group);
  wait_asleep(older);
  EXPECT_EQ(order, "second newer joined older ");
}

// ---- fork_join

TEST(ForkJoin, ReturnsAfterAllFunctionsAndPublishesTheirEffects) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    for (int round = 0; round < 200; ++round) {
      int a = 0;
      int b = 0;
      int c = 0;
      fork_join(
          executor, [&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
      ASSERT_EQ(a + b + c, 6);
    }
    fork_join(executor, [] {});
  }
}

TEST(ForkJoin, MayBeNestedDeeply) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    EXPECT_EQ(fib(executor, 20), 6765U);
  }
}

TEST(ForkJoin, RunsTheFunctionsAtTheSameTimeIfThereAreWorkers) {
  Executor executor({.threads = 3});
  std::barrier meeting(3);
  const auto meet = [&] { meeting.arrive_and_wait(); };
  fork_join(executor, meet, meet, meet);  // otherwise this never returns
}

TEST(ForkJoin, RunsTheFirstFunctionOnTheWorkerThatCalls) {
  Executor executor({.threads = 4});
  TaskGroup group(executor);
  group.run([&] {
    const int here = Executor::worker_index();
    for (int round = 0; round < 1000; ++round) {
      int first = -1;
      fork_join(
          executor, [&] { first = Executor::worker_index(); }, [] {});
      ASSERT_EQ(first, here);
    }
  });
  wait_asleep(group);
}

// Requests arrive from outside while a worker waits for the half of one that another worker has
// taken. If it began the next request meanwhile, that one's half could be taken, too, and so on:
// then requests pile up on its stack, and none can end before all above it.
TEST(ForkJoin, AWaitingWorkerBeginsNoTaskFromOutside) {
  Executor executor({.threads = 2});
  static thread_local unsigned depth = 0;
  Counter deepest{0};
  Counter begun{0};
  Counter taken{0};
  TaskGroup requests(executor);
  for (unsigned request = 1; request <= 50; ++request) {
    requests.run([&, request] {
      count(begun);
      if (++depth > value(deepest)) deepest.store(depth, base::memory_order_relaxed);
      fork_join(
          executor,
          [&] {
            while (value(taken) < request) std::this_thread::yield();
          },
          [&] {
            count(taken);
            for (unsigned turn = 0; turn < 500 && value(begun) <= request; ++turn) {
              std::this_thread::yield();
            }
          });
      --depth;
    });
    while (value(taken) < request) std::this_thread::yield();
  }
  requests.wait();
  EXPECT_EQ(value(deepest), 1U);
}

TEST(ForkJoin, RethrowsAnExceptionAfterAllFunctionsHaveEnded) {
  for (const unsigned threads : {1U, 4U}) {
    Executor executor({.threads = threads});
    const auto fail = [] { throw std::runtime_error("no"); };
    for (int round = 0; round < 100; ++round) {
      Counter begun{0};
      Counter ended{0};
      const auto work = [&] {
        count(begun);
        std::this_thread::yield();
        count(ended);
      };
      EXPECT_EQ(caught([&] { fork_join(executor, fail, work, work); }), "no");
      EXPECT_EQ(value(begun), value(ended));
      EXPECT_EQ(caught([&] { fork_join(executor, work, work, fail); }), "no");
      EXPECT_EQ(value(begun), value(ended));
      EXPECT_EQ(caught([&] { fork_join(executor, fail, fail); }), "no");
    }
  }
}

TEST(ForkJoin, SurvivesTasksThatItsFunctionsLeaveInTheDeque) {
  for (const unsigned threads : {1U, 4U}) {
    Executor executor({.threads = threads});
    TaskGroup forking(executor);
    TaskGroup others(executor);
    Counter ran{0};
    for (int round = 0; round < 100; ++round) {
      forking.run([&] {
        fork_join(
            executor,
            [&] {
              for (int i = 0; i < 5; ++i) others.run([&] { count(ran); });
            },
            [&] { others.run([&] { count(ran); }); });
      });
    }
    wait_asleep(forking);
    wait_asleep(others);
    EXPECT_EQ(value(ran), 600U);
  }
}

TEST(ForkJoin, AllocatesNothingOnAWorker) {
  Executor executor({.threads = 1});
  TaskGroup group(executor);
  group.run([&] {
    fib(executor, 12);
    const Allocations::Refusal refusal;
    fib(executor, 12);
    parallel_for(executor, 0, 1000, [](int) {});
  });
  wait_asleep(group);
}

TEST(ForkJoin, IsDoneByTheCallerIfNoThreadCanBeStarted) {
  Executor executor({.threads = 1, .start_thread = [](auto) -> std::thread {
                       throw std::system_error(EAGAIN, std::generic_category());
                     }});
  EXPECT_EQ(fib(executor, 10), 55U);
}

// Nobody else could: the only worker is busy until the end.
TEST(ForkJoin, AndLoopsAreDoneByTheCallerIfAllWorkersAreBusy) {
  Executor executor({.threads = 1});
  const BusyWorker busy(executor);
  EXPECT_EQ(fib(executor, 10), 55U);
  std::vector<int> calls(1000);
  parallel_for(executor, 0, 1000, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), 1000);
}

// ---- parallel_for

// A Stopwatch of loops whose functions say how long they take.
class FakeWatch {
 public:
  static void pass(std::chrono::nanoseconds time) { now_ += time; }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return now_ - start_; }

 private:
  static inline std::chrono::nanoseconds now_{0};
  std::chrono::nanoseconds start_ = now_;
};

constexpr std::chrono::nanoseconds kShort = detail::ShortLoops::kShort;
constexpr std::chrono::nanoseconds kLong = kShort + std::chrono::nanoseconds(1);

// parallel_for() with that clock.
template <class F>
void timed_for(Executor& executor, int size, const F& visit, const CancelToken& token = {}) {
  detail::ForBody<int, const F> body{0, visit};
  typename decltype(body)::Result nothing;
  detail::ParallelLoop<decltype(body), FakeWatch>(executor, body, token)
      .run(static_cast<std::size_t>(size), nothing);
}

// An executor whose only worker begins at the end: what is offered to it remains queued.
class LateExecutor {
 public:
  ~LateExecutor() { over_.store(true, base::memory_order_relaxed); }
  LateExecutor() = default;
  LateExecutor(const LateExecutor&) = delete;
  LateExecutor& operator=(const LateExecutor&) = delete;

  // Whether any of the loop is offered. The function calls look() for each index.
  template <class F>
  bool is_offered(int size, const F& visit) {
    hint_ = 0;
    timed_for(executor, size, visit);
    return hint_ != 0;
  }
  void look() { hint_ = std::max(hint_, executor.queued_hint()); }

  // Runs the loop, which is short now, until it is expected to be short.
  template <class F>
  void run_until_short(int size, const F& visit) {
    for (unsigned i = 0; i < detail::ShortLoops::kNeeded; ++i) timed_for(executor, size, visit);
    EXPECT_FALSE(is_offered(size, visit));
  }

 private:
  base::atomic<bool> over_{false};
  std::size_t hint_ = 0;

 public:
  Executor executor{{.threads = 1, .start_thread = [this](std::function<void()> work) {
                       return std::thread([this, work] {
                         while (!over_.load(base::memory_order_relaxed)) std::this_thread::yield();
                         work();
                       });
                     }}};
};

TEST(ParallelFor, OffersNothingOfLoopsThatHaveBeenShort) {
  LateExecutor late;
  std::chrono::nanoseconds time = kLong;
  const auto visit = [&](int /*i*/) {
    FakeWatch::pass(time);
    late.look();
  };
  EXPECT_TRUE(late.is_offered(8, visit));
  time = kShort / 8;
  for (unsigned i = 0; i < detail::ShortLoops::kNeeded; ++i) {
    EXPECT_TRUE(late.is_offered(8, visit));
  }
  EXPECT_FALSE(late.is_offered(8, visit));
  EXPECT_TRUE(late.is_offered(9, visit));
}

TEST(ParallelFor, OffersTheRestOfALoopThatTakesLongerThanExpected) {
  LateExecutor late;
  std::chrono::nanoseconds time{0};
  const auto visit = [&](int /*i*/) {
    FakeWatch::pass(time);
    late.look();
  };
  late.run_until_short(3, visit);
  time = kLong;
  EXPECT_TRUE(late.is_offered(3, visit));
}

TEST(ParallelFor, ThrowsAndIsCancelledInALoopThatIsExpectedToBeShort) {
  LateExecutor late;
  const CancelSource source;
  int fails_at = -1;
  int cancels_at = -1;
  int calls = 0;
  const auto visit = [&](int i) {
    late.look();
    if (i == fails_at) throw std::runtime_error("no");
    if (i == cancels_at) source.cancel();
    ++calls;
  };
  late.run_until_short(8, visit);
  fails_at = 5;
  EXPECT_EQ(caught([&] { timed_for(late.executor, 8, visit); }), "no");
  fails_at = -1;
  late.run_until_short(8, visit);
  calls = 0;
  cancels_at = 0;
  timed_for(late.executor, 8, visit, source.token());
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    for (const int size : {0, 1, 2, 3, 63, 64, 65, 1000, 100'000}) {
      std::vector<Counter> calls(static_cast<std::size_t>(size));
      parallel_for(executor, 0, size, [&](int i) { count(calls[static_cast<std::size_t>(i)]); });
      for (const Counter& one : calls) ASSERT_EQ(value(one), 1U);
    }
  }
}

TEST(ParallelFor, CoversTheRangeByNonEmptyRanges) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    std::vector<Counter> calls(100'000);
    parallel_for(executor, std::size_t{0}, calls.size(), [&](std::size_t begin, std::size_t end) {
      ASSERT_LT(begin, end);
      for (std::size_t i = begin; i < end; ++i) count(calls[i]);
    });
    for (const Counter& one : calls) ASSERT_EQ(value(one), 1U);
  }
}

TEST(ParallelFor, DoesNothingIfLastIsNotAboveFirst) {
  Executor executor({.threads = 2});
  const auto never = [](int) { FAIL(); };
  parallel_for(executor, 5, 5, never);
  parallel_for(executor, 5, -5, never);
  EXPECT_EQ(executor.started_threads(), 0U);
}

template <class Index>
void visit_all() {
  using Limits = std::numeric_limits<Index>;
  Executor executor({.threads = 3});
  std::vector<Counter> calls(std::size_t{1} << (8 * sizeof(Index)));
  parallel_for(executor, Limits::min(), Limits::max(),
               [&](Index i) { count(calls[static_cast<std::size_t>(i - Limits::min())]); });
  EXPECT_EQ(value(calls.back()), 0U);  // `last` is excluded
  calls.pop_back();
  for (const Counter& one : calls) ASSERT_EQ(value(one), 1U);
}

TEST(ParallelFor, CallsIndicesInAscendingOrderOnOneThread) {
  visit_all<std::int8_t>();
  visit_all<std::uint8_t>();
  visit_all<std::int16_t>();
}

// Checks that each index of the short range [first, last) is called once.
template <class Index, class First>
void expect_visited(First first, Index last) {
  Executor executor({.threads = 3});
  std::mutex mutex;
  std::vector<Index> visited;
  parallel_for(executor, first, last, [&](Index i) {
    const std::lock_guard lock(mutex);
    visited.push_back(i);
  });
  std::sort(visited.begin(), visited.end());
  ASSERT_EQ(visited.size(), static_cast<std::size_t>(last) - static_cast<std::size_t>(first));
  for (std::size_t n = 0; n < visited.size(); ++n) {
    ASSERT_EQ(visited[n], static_cast<Index>(static_cast<Index>(first) + static_cast<Index>(n)));
  }
}

TEST(ParallelFor, ReachesTheEndsOfItsType) {
  using Long = std::numeric_limits<std::int64_t>;
  using Size = std::numeric_limits<std::size_t>;
  expect_visited(Long::max() - 100, Long::max());
  expect_visited(Long::min(), Long::min() + 100);
  expect_visited(Size::max() - 100, Size::max());
  expect_visited(std::int64_t{-50}, std::int64_t{50});
  // The range of the whole type: the first call tells. Another worker may make the first call of
  // another part before.
  for (const unsigned threads : {1U, 2U}) {
    Executor executor({.threads = threads});
    TaskGroup group(executor);
    group.run([&] {
      const auto here = std::this_thread::get_id();
      parallel_for(executor, Long::min(), Long::max(), [&](std::int64_t i) {
        const bool is_first = i == Long::min() || std::this_thread::get_id() != here;
        throw std::runtime_error(is_first ? "first" : "later");
      });
    });
    EXPECT_EQ(caught([&] { wait_asleep(group); }), "first");
  }
}

TEST(ParallelFor, PassesIndicesOfTheTypeOfTheLast) {
  const std::vector<int> numbers(70'000);
  expect_visited(0, numbers.size());
  expect_visited(std::uint8_t{3}, 1000);
  Executor executor({.threads = 1});
  int calls = 0;
  const auto call = [&](auto /*i*/) { ++calls; };
  // Compares mathematically, like std::cmp_less: neither value wraps around.
  parallel_for(executor, std::size_t{5'000'000'003}, 10, call);
  EXPECT_EQ(calls, 0);
  EXPECT_THROW(parallel_for(executor, -1, std::size_t{10}, call), base::Error);
}

TEST(ParallelFor, GivesAnotherWorkerItsShareOfTwoLongCalls) {
  Executor executor({.threads = 2});
  std::barrier meeting(2);
  parallel_for(executor, 0, 2, [&](int) { meeting.arrive_and_wait(); });  // otherwise never returns
}

// A worker that is about to become idle is not yet visible as idle, and the calls may be long.
TEST(ParallelFor, OffersAShareBeforeAWorkerIsIdle) {
  Executor executor({.threads = 2});
  std::barrier meeting(2);
  base::atomic<bool> let_go{false};
  base::atomic<bool> met{false};
  TaskGroup group(executor);
  group.run([&] {
    meeting.arrive_and_wait();
    while (!let_go.load(base::memory_order_acquire)) std::this_thread::yield();
  });
  group.run([&] {
    meeting.arrive_and_wait();
    parallel_for(executor, 0, 2, [&](int i) {
      if (i == 1) met.store(true, base::memory_order_release);
      let_go.store(true, base::memory_order_release);
      while (!met.load(base::memory_order_acquire)) std::this_thread::yield();  // otherwise forever
    });
  });
  wait_asleep(group);
}

TEST(ParallelFor, SplitsAgainForAWorkerThatComesLater) {
  Executor executor({.threads = 2});
  base::atomic<bool> other_is_free{false};
  TaskGroup group(executor);
  TaskGroup before(executor);
  std::barrier meeting(2);
  group.run([&] {
    meeting.arrive_and_wait();
    while (!other_is_free.load(base::memory_order_acquire)) std::this_thread::yield();
  });
  group.run([&] {
    meeting.arrive_and_wait();
    // The loop begins without the other worker and offers nothing, because the deque is not empty;
    // it ends once the other worker has come.
    before.run([] {});
    const int here = Executor::worker_index();
    EXPECT_EQ(caught([&] {
                parallel_for(executor, 0, std::numeric_limits<int>::max(), [&](int i) {
                  if (i == 0) other_is_free.store(true, base::memory_order_release);
                  if (Executor::worker_index() != here) throw std::runtime_error("here I am");
                  std::this_thread::yield();
                });
              }),
              "here I am");
  });
  wait_asleep(group);
  wait_asleep(before);
}

TEST(ParallelFor, RethrowsAnExceptionAndStopsTheRest) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    const auto no_end = std::numeric_limits<std::int64_t>::max();
    base::atomic<bool> two_at_work{threads == 1};
    base::atomic<int> first{-1};  // the worker that called f(0)
    bool thrown = false;          // by that worker
    EXPECT_EQ(caught([&] {
                parallel_for(executor, std::int64_t{0}, no_end, [&](std::int64_t i) {
                  const int here = Executor::worker_index();
                  if (i == 0) first.store(here, base::memory_order_relaxed);
                  if (here != first.load(base::memory_order_relaxed)) {
                    two_at_work.store(true, base::memory_order_relaxed);
                  } else if (two_at_work.load(base::memory_order_relaxed) && !thrown) {
                    thrown = true;
                    throw std::out_of_range("enough");  // otherwise the others never end
                  }
                });
              }),
              "enough");
    parallel_for(executor, 0, 10, [](int) {});  // the executor still works
  }
}

TEST(ParallelFor, MayBeNested) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    std::vector<Counter> calls(100 * 100);
    parallel_for(executor, 0U, 100U, [&](unsigned i) {
      parallel_for(executor, 0U, 100U, [&](unsigned j) { count(calls[100 * i + j]); });
    });
    for (const Counter& one : calls) ASSERT_EQ(value(one), 1U);
  }
}

TEST(ParallelFor, MayBeCalledBySeveralThreadsAtTheSameTime) {
  Executor executor({.threads = 2});
  std::vector<std::thread> callers;
  std::vector<unsigned> sums(4);
  for (unsigned& sum : sums) {
    callers.emplace_back([&] {
      Counter calls{0};
      for (int round = 0; round < 50; ++round) {
        parallel_for(executor, 0, 100, [&](int) { count(calls); });
      }
      sum = value(calls);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sums, std::vector<unsigned>(4, 5000));
}

// ---- parallel_reduce

TEST(ParallelReduce, ComputesWhatALoopComputes) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    for (const std::uint64_t size : {0U, 1U, 2U, 1000U, 1'000'000U}) {
      const std::uint64_t sum = parallel_reduce(
          executor, std::uint64_t{0}, size, std::uint64_t{0},
          [](std::uint64_t i, std::uint64_t so_far) { return so_far + i * i; }, std::plus<>());
      std::uint64_t expected = 0;
      for (std::uint64_t i = 0; i < size; ++i) expected += i * i;
      ASSERT_EQ(sum, expected);
    }
  }
}

TEST(ParallelReduce, JoinsInTheOrderOfTheIndices) {
  Executor executor({.threads = 4});
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += std::to_string(i) + " ";
  for (int round = 0; round < 20; ++round) {
    const std::string text = parallel_reduce(
        executor, 0, 3000, std::string(),
        [](int i, std::string so_far) {
          if (i % 100 == 0) std::this_thread::yield();
          return std::move(so_far) + std::to_string(i) + " ";
        },
        [](std::string left, const std::string& right) { return std::move(left) + right; });
    ASSERT_EQ(text, expected);
  }
}

TEST(ParallelReduce, BeginsEachPartWithTheIdentity) {
  constexpr unsigned kPrime = 1'000'003;
  for (const unsigned threads : {1U, 2U, 8U}) {
    Executor executor({.threads = threads});
    for (int round = 0; round < 20; ++round) {
      const std::uint64_t product = parallel_reduce(
          executor, 1U, 2001U, std::uint64_t{1},
          [](unsigned i, std::uint64_t so_far) {
            if (i % 50 == 0) std::this_thread::yield();
            return so_far * i % kPrime;
          },
          [](std::uint64_t left, std::uint64_t right) { return left * right % kPrime; });
      std::uint64_t expected = 1;
      for (unsigned i = 1; i <= 2000; ++i) expected = expected * i % kPrime;
      ASSERT_EQ(product, expected);
    }
  }
}

TEST(ParallelReduce, AcceptsFunctionsOfRanges) {
  Executor executor({.threads = 3});
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const long long sum = parallel_reduce(
      executor, std::size_t{0}, numbers.size(), 0LL,
      [&](std::size_t begin, std::size_t end, long long so_far) {
        return std::accumulate(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                               numbers.begin() + static_cast<std::ptrdiff_t>(end), so_far);
      },
      std::plus<>());
  EXPECT_EQ(sum, 100'000LL * 99'999 / 2);
}

TEST(ParallelReduce, RethrowsExceptionsOfTheFunctions) {
  Executor executor({.threads = 3});
  const auto add = [](int i, int so_far) { return so_far + i; };
  const auto fail = [](int, int) -> int { throw std::runtime_error("not that one"); };
  EXPECT_EQ(caught([&] { parallel_reduce(executor, 0, 1000, 0, fail, std::plus<>()); }),
            "not that one");
  EXPECT_EQ(parallel_reduce(executor, 0, 1000, 0, add, std::plus<>()), 499'500);
}

// An interval with its ends.
struct Interval {
  int begin = -1;
  int end = -1;
};

TEST(ParallelReduce, DoesNotJoinIncompleteResults) {
  for (int round = 0; round < 100; ++round) {
    Executor executor({.threads = 4});
    EXPECT_EQ(caught([&] {
                parallel_reduce(
                    executor, 0, 20'000, Interval{},
                    [](int begin, int end, Interval so_far) {
                      std::this_thread::yield();
                      if (begin <= 19'000 && 19'000 < end) throw std::runtime_error("disk full");
                      return Interval{so_far.end < 0 ? begin : so_far.begin, end};
                    },
                    [](Interval left, Interval right) {
                      if (right.end < 0) return left;
                      if (left.end != right.begin) throw std::logic_error("a gap");
                      return Interval{left.begin, right.end};
                    });
              }),
              "disk full");
  }
}

// A number that can be copied only once.
struct CopiedOnce {
  explicit CopiedOnce(base::atomic<int>& copies_in) : copies(&copies_in) {}
  CopiedOnce(const CopiedOnce& other) : copies(other.copies) {
    if (copies->fetch_add(1, base::memory_order_relaxed) > 0) throw std::runtime_error("a copy");
  }
  CopiedOnce(CopiedOnce&&) = default;
  CopiedOnce& operator=(const CopiedOnce&) = delete;
  CopiedOnce& operator=(CopiedOnce&&) = default;
  ~CopiedOnce() = default;
  base::atomic<int>* copies;
};

TEST(ParallelReduce, StopsIfTheIdentityCannotBeCopied) {
  Executor executor({.threads = 2});
  base::atomic<int> copies{0};
  EXPECT_EQ(caught([&] {
              parallel_reduce(
                  executor, std::int64_t{0}, std::numeric_limits<std::int64_t>::max(),
                  CopiedOnce(copies),
                  [](std::int64_t, CopiedOnce so_far) {
                    std::this_thread::yield();
                    return so_far;
                  },
                  [](CopiedOnce left, const CopiedOnce&) { return left; });
            }),
            "a copy");  // otherwise it never ends
}

}  // namespace
}  // namespace fathom::rt
