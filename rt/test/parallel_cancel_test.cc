// Tests of parallel_for() and parallel_reduce() with a CancelToken.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"

namespace fathom::rt {
namespace {

constexpr int kMany = 1'000'000'000;  // would take minutes

class ParallelCancel : public ::testing::TestWithParam<unsigned> {
 protected:
  Executor executor_{{.threads = GetParam()}};
};

TEST_P(ParallelCancel, ALoopStopsSoonAfterTheCancellation) {
  const CancelSource source;
  base::atomic<int> calls{0};
  parallel_for(
      executor_, 0, kMany,
      [&](int) {
        if (calls.fetch_add(1, base::memory_order_relaxed) == 1000) source.cancel();
      },
      source.token());
  EXPECT_GT(calls.load(), 1000);
  EXPECT_LT(calls.load(), kMany);
}

TEST_P(ParallelCancel, ALoopWithACancelledTokenCallsNothing) {
  const CancelSource source;
  source.cancel();
  int calls = 0;
  parallel_for(
      executor_, 0, 1000, [&](int) { ++calls; }, source.token());
  EXPECT_EQ(calls, 0);
}

TEST_P(ParallelCancel, ALoopWithATokenThatIsNotCancelledIsComplete) {
  const CancelSource source;
  base::atomic<int> calls{0};
  const auto count = [&](int) { calls.fetch_add(1, base::memory_order_relaxed); };
  parallel_for(executor_, 0, 10'000, count, source.token());
  EXPECT_EQ(calls.load(), 10'000);
  const int sum = parallel_reduce(
      executor_, 0, 10'000, 0, [](int, int so_far) { return so_far + 1; }, std::plus<>(),
      source.token());
  EXPECT_EQ(sum, 10'000);
}

// Nobody has to watch it.
TEST_P(ParallelCancel, TheDeadlineOfTheTokenStopsALoop) {
  const CancelSource source = CancelSource::with_deadline(base::monotonic_now());
  base::atomic<int> calls{0};
  parallel_for(
      executor_, 0, kMany, [&](int) { calls.fetch_add(1, base::memory_order_relaxed); },
      source.token());
  EXPECT_TRUE(source.cancelled());
  EXPECT_EQ(calls.load(), 0);
}

// The result counts the indices that were visited.
TEST_P(ParallelCancel, ACancelledReductionIsThatOfSomeIndices) {
  const CancelSource source;
  base::atomic<int> calls{0};
  const int sum = parallel_reduce(
      executor_, 0, kMany, 0,
      [&](int, int so_far) {
        if (calls.fetch_add(1, base::memory_order_relaxed) == 1000) source.cancel();
        return so_far + 1;
      },
      std::plus<>(), source.token());
  EXPECT_EQ(sum, calls.load());
  EXPECT_LT(sum, kMany);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelCancel, ::testing::Values(1U, 2U, 4U));

}  // namespace
}  // namespace fathom::rt
