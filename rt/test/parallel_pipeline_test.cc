// parallel_pipeline().

#include "fathom/rt/parallel_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

constexpr unsigned kPipelineThreads[] = {1, 2, 8};

// An item: a number, and what stages have done with it.
struct Numbered {
  int number = 0;
  int doubled = 0;
};

std::vector<int> numbers_below(int n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// A first stage that makes so many items.
auto count_to(int& made, int items) {
  return in_order([&made, items](Numbered& item) {
    if (made == items) return false;
    item.number = made++;
    return true;
  });
}

template <class F>
void in_a_task(Executor& executor, const F& f) {
  TaskGroup group(executor);
  group.run([&] { f(); });
  wait_asleep(group);
}

TEST(ParallelPipeline, PassesAllItemsInOrder) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    for (const std::size_t slots : {1, 2, 3, 16}) {
      for (const int items : {0, 1, 2, 3, 2000}) {
        const auto run = [&] {
          std::vector<Numbered> in_flight(slots);
          std::vector<int> out;
          int made = 0;
          parallel_pipeline(executor, in_flight, count_to(made, items),
                            in_parallel([](Numbered& item) { item.doubled = 2 * item.number; }),
                            in_order([&](Numbered& item) { out.push_back(item.doubled / 2); }));
          ASSERT_EQ(out, numbers_below(items));
        };
        run();
        in_a_task(executor, run);
      }
    }
  }
}

TEST(ParallelPipeline, HasAnyNumberOfStages) {
  Executor executor({.threads = 3});
  std::array<Numbered, 4> slots;
  int made = 0;
  parallel_pipeline(executor, slots, count_to(made, 100));
  EXPECT_EQ(made, 100);
  std::vector<int> first;
  std::vector<int> second;
  base::atomic<int> sum{0};
  const auto add = [&](Numbered& item) { sum.fetch_add(item.number, base::memory_order_relaxed); };
  made = 0;
  parallel_pipeline(executor, slots, count_to(made, 1000),
                    in_order([&](Numbered& item) { first.push_back(item.number); }),
                    in_parallel(add), in_parallel(add),
                    in_order([&](Numbered& item) { second.push_back(item.number); }),
                    in_parallel(add));
  EXPECT_EQ(first, numbers_below(1000));
  EXPECT_EQ(second, numbers_below(1000));
  EXPECT_EQ(sum.load(base::memory_order_relaxed), 3 * 999 * 500);
}

TEST(ParallelPipeline, HasAtMostAsManyItemsInFlightAsSlots) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    base::atomic<int> in_flight{0};
    base::atomic<int> most{0};
    int made = 0;
    std::vector<Numbered> slots(3);
    parallel_pipeline(executor, slots, in_order([&](Numbered& /*item*/) {
                        if (made++ == 5000) return false;
                        const int now = in_flight.fetch_add(1, base::memory_order_relaxed) + 1;
                        most.store(std::max(now, most.load(base::memory_order_relaxed)),
                                   base::memory_order_relaxed);
                        return true;
                      }),
                      in_parallel([](Numbered& item) {
                        if (item.number % 7 == 0) std::this_thread::yield();
                      }),
                      in_parallel([&](Numbered& /*item*/) {
                        in_flight.fetch_sub(1, base::memory_order_relaxed);
                      }));
    EXPECT_EQ(in_flight.load(base::memory_order_relaxed), 0);
    EXPECT_LE(most.load(base::memory_order_relaxed), 3);
  }
}

TEST(ParallelPipeline, CallsStagesAtTheSameTime) {
  Executor executor({.threads = 3});
  std::vector<Numbered> slots(3);
  std::barrier meeting(3);
  int made = 0;
  parallel_pipeline(executor, slots, count_to(made, 9), in_parallel([&](Numbered& /*item*/) {
                      meeting.arrive_and_wait();  // otherwise this never returns
                    }));
}

TEST(ParallelPipeline, LetsLaterItemsPassInParallelButNotInOrder) {
  Executor executor({.threads = 2});
  std::vector<Numbered> slots(2);
  base::atomic<bool> second_has_passed{false};
  std::vector<int> order;
  int made = 0;
  parallel_pipeline(executor, slots, count_to(made, 2), in_parallel([&](Numbered& item) {
                      if (item.number == 1)
                        second_has_passed.store(true, base::memory_order_relaxed);
                      while (!second_has_passed.load(base::memory_order_relaxed))
                        std::this_thread::yield();
                    }),
                    in_order([&](Numbered& item) { order.push_back(item.number); }));
  EXPECT_EQ(order, numbers_below(2));
}

TEST(ParallelPipeline, AcceptsItemsThatCannotBeMoved) {
  struct Fixed {
    std::unique_ptr<int> number;
    base::atomic<int> calls{0};
  };
  Executor executor({.threads = 2});
  std::vector<Fixed> slots(4);
  int made = 0;
  int sum = 0;
  parallel_pipeline(
      executor, slots, in_order([&](Fixed& item) {
        item.number = std::make_unique<int>(made);
        return made++ != 100;
      }),
      in_parallel([](Fixed& item) { item.calls.fetch_add(1, base::memory_order_relaxed); }),
      in_order([&](Fixed& item) { sum += *item.number; }));
  EXPECT_EQ(sum, 4950);
  for (const Fixed& slot : slots) EXPECT_EQ(slot.calls.load(base::memory_order_relaxed), 25);
}

TEST(ParallelPipeline, AllocatesNothingPerItem) {
  Executor executor({.threads = 1});
  in_a_task(executor, [&] {
    std::vector<Numbered> slots(4);
    std::size_t least = 0;
    std::size_t most = 0;
    int made = 0;
    parallel_pipeline(executor, slots, count_to(made, 1000), in_order([&](Numbered& item) {
                        const std::size_t alive = Allocations::alive();
                        most = std::max(most, alive);
                        least = item.number == 0 ? alive : std::min(least, alive);
                      }));
    EXPECT_EQ(least, most);
  });
}

// ---- Ends

TEST(ParallelPipeline, RethrowsAnExceptionOfAnyStage) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    for (const int where : {0, 1, 2}) {
      for (const int which : {0, 1, 500}) {
        std::vector<Numbered> slots(4);
        std::vector<int> out;
        base::atomic<int> inside{0};
        int made = 0;
        const auto pass = [&](int stage, const Numbered& item) {
          inside.fetch_add(1, base::memory_order_relaxed);
          if (stage != where || item.number != which) {
            inside.fetch_sub(1, base::memory_order_relaxed);
            return;
          }
          inside.fetch_sub(1, base::memory_order_relaxed);
          throw std::runtime_error("no");
        };
        EXPECT_THROW(parallel_pipeline(executor, slots, in_order([&](Numbered& item) {
                                         item.number = made++;
                                         pass(0, item);
                                         return true;  // endless
                                       }),
                                       in_parallel([&](Numbered& item) { pass(1, item); }),
                                       in_order([&](Numbered& item) {
                                         pass(2, item);
                                         out.push_back(item.number);
                                       })),
                     std::runtime_error);
        EXPECT_EQ(inside.load(base::memory_order_relaxed), 0);
        EXPECT_EQ(out, numbers_below(static_cast<int>(out.size())));
        EXPECT_LE(out.size(), static_cast<std::size_t>(which) + (where == 2 ? 0 : 4));
      }
    }
  }
}

TEST(ParallelPipeline, EndsWhenItsTokenIsCancelled) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    const CancelSource source;
    std::vector<Numbered> slots(4);
    int made = 0;
    int passed = 0;
    EXPECT_FALSE(parallel_pipeline(executor, source.token(), slots, in_order([&](Numbered& item) {
                                     item.number = made++;
                                     return true;  // endless
                                   }),
                                   in_order([&](Numbered& /*item*/) {
                                     if (++passed == 1000) source.cancel();
                                   })));
    EXPECT_EQ(passed, 1000);
    made = 0;
    EXPECT_FALSE(parallel_pipeline(executor, source.token(), slots, count_to(made, 10)));
    EXPECT_EQ(made, 0);
    EXPECT_TRUE(parallel_pipeline(executor, CancelSource().token(), slots, count_to(made, 10)));
    EXPECT_EQ(made, 10);
  }
}

TEST(ParallelPipeline, BeginsNoCallAfterTheDeadlineOfItsToken) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    const auto deadline = base::monotonic_now() + std::chrono::milliseconds(1);
    const CancelSource source = CancelSource::with_deadline(deadline);
    std::vector<Numbered> slots(4);
    int calls = 0;
    int passed = 0;
    EXPECT_FALSE(parallel_pipeline(executor, source.token(), slots, in_order([&](Numbered&) {
                                     while (base::monotonic_now() < deadline) {
                                     }
                                     return ++calls != 10;
                                   }),
                                   in_order([&](Numbered&) { ++passed; })));
    EXPECT_LE(calls, 1);
    EXPECT_EQ(passed, 0);
    EXPECT_TRUE(source.cancelled());
  }
}

TEST(ParallelPipeline, CancelsItsTokenAtTheDeadlineDuringACall) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    const auto deadline = base::monotonic_now() + std::chrono::milliseconds(1);
    const CancelSource source = CancelSource::with_deadline(deadline);
    std::vector<Numbered> slots(4);
    int made = 0;
    EXPECT_FALSE(parallel_pipeline(executor, source.token(), slots, count_to(made, 10),
                                   in_order([&](Numbered&) {
                                     while (!source.cancelled()) std::this_thread::yield();
                                   })));
  }
}

TEST(ParallelPipeline, NeedsASlotAndAThread) {
  Executor executor({.threads = 1, .start_thread = [](auto) -> std::thread {
                       throw std::system_error(EAGAIN, std::generic_category());
                     }});
  int made = 0;
  std::vector<Numbered> slots;
  EXPECT_THROW(parallel_pipeline(executor, slots, count_to(made, 10)), base::Error);
  slots.resize(1);
  EXPECT_THROW(parallel_pipeline(executor, slots, count_to(made, 10)), base::Error);
  EXPECT_EQ(made, 0);
}

// ---- Threads

TEST(ParallelPipeline, MayBeNested) {
  for (const unsigned threads : kPipelineThreads) {
    Executor executor({.threads = threads});
    std::vector<Numbered> slots(4);
    std::vector<int> out;
    int made = 0;
    parallel_pipeline(executor, slots, count_to(made, 50), in_parallel([&](Numbered& item) {
                        std::vector<Numbered> inner(2);
                        int made_inside = 0;
                        int sum = 0;
                        parallel_pipeline(executor, inner, count_to(made_inside, 20),
                                          in_order([&](Numbered& one) { sum += one.number; }));
                        item.doubled = sum;
                      }),
                      in_order([&](Numbered& item) { out.push_back(item.doubled); }));
    EXPECT_EQ(out, std::vector<int>(50, 190));
  }
}

TEST(ParallelPipeline, MayBeRunBySeveralThreadsAtTheSameTime) {
  Executor executor({.threads = 2});
  std::vector<std::thread> callers;
  std::vector<std::vector<int>> outs(4);
  for (auto& out : outs) {
    callers.emplace_back([&] {
      std::vector<Numbered> slots(3);
      int made = 0;
      parallel_pipeline(executor, slots, count_to(made, 500), in_parallel([](Numbered&) {}),
                        in_order([&](Numbered& item) { out.push_back(item.number); }));
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& out : outs) EXPECT_EQ(out, numbers_below(500));
}

}  // namespace
}  // namespace fathom::rt
