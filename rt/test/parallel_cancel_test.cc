// Tests of parallel loops, sorts and scans with a CancelToken.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/parallel_scan.h"
#include "fathom/rt/parallel_sort.h"

namespace fathom::rt {
namespace {

constexpr int kMany = 1'000'000'000;  // would take minutes

class ParallelCancel : public ::testing::TestWithParam<unsigned> {
 protected:
  // The workers and the calling thread.
  unsigned threads() const { return GetParam() + 1; }

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

// ---- parallel_sort()

// Sorted by way of pointers, because a move may throw.
struct MovedAtRisk {
  MovedAtRisk() = default;
  MovedAtRisk(MovedAtRisk&& other) noexcept(false) : text(std::move(other.text)) {}
  MovedAtRisk& operator=(MovedAtRisk&& other) noexcept(false) {
    text = std::move(other.text);
    return *this;
  }
  ~MovedAtRisk() = default;
  friend bool operator<(const MovedAtRisk& a, const MovedAtRisk& b) { return a.text < b.text; }
  friend bool operator==(const MovedAtRisk& a, const MovedAtRisk& b) { return a.text == b.text; }
  std::string text;
};

void set(std::uint32_t& element, std::uint32_t number) {
  element = number;
}
void set(std::string& element, std::uint32_t number) {
  element = "a name that does not fit into the string itself " + std::to_string(number);
}
void set(MovedAtRisk& element, std::uint32_t number) {
  set(element.text, number);
}
template <class T>
std::vector<T> in_any_order(std::size_t n) {
  std::mt19937 random(1);
  std::vector<T> all(n);
  for (T& one : all) set(one, static_cast<std::uint32_t>(random() % 5000));
  return all;
}

// Cancels a sort at its n-th comparison.
template <class T>
void expect_kept_if_cancelled(Executor& executor, unsigned threads) {
  std::vector<T> expected = in_any_order<T>(10'000);
  std::sort(expected.begin(), expected.end());
  for (int last = 1; last < 400'000; last = last * 3 + 1) {
    const CancelSource source;
    base::atomic<int> left{last};
    base::atomic<unsigned> late{0};
    std::vector<T> all = in_any_order<T>(10'000);
    parallel_sort(
        executor, all.begin(), all.end(),
        [&](const T& a, const T& b) {
          if (source.cancelled()) late.fetch_add(1, base::memory_order_relaxed);
          if (left.fetch_sub(1, base::memory_order_relaxed) == 1) source.cancel();
          return a < b;
        },
        source.token());
    ASSERT_LE(late.load(), threads * 1024);
    ASSERT_TRUE(source.cancelled() || std::is_sorted(all.begin(), all.end()));
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all, expected);
  }
}

TEST_P(ParallelCancel, ACancelledSortStopsSoonAndKeepsAllElements) {
  expect_kept_if_cancelled<std::uint32_t>(executor_, threads());
  expect_kept_if_cancelled<std::string>(executor_, threads());
  expect_kept_if_cancelled<MovedAtRisk>(executor_, threads());
}

TEST_P(ParallelCancel, ASortWhoseTokenIsCancelledOrExpiredTouchesNothing) {
  const CancelSource cancelled;
  cancelled.cancel();
  for (const CancelSource& source :
       {cancelled, CancelSource::with_deadline(base::monotonic_now())}) {
    std::vector<std::string> all = in_any_order<std::string>(1000);
    int calls = 0;
    const auto before = [&](const std::string& a, const std::string& b) {
      ++calls;
      return a < b;
    };
    parallel_sort(executor_, all.begin(), all.end(), before, source.token());
    EXPECT_TRUE(source.cancelled());
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(all, in_any_order<std::string>(1000));
  }
}

TEST_P(ParallelCancel, ASortStopsWhileItFindsThatARangeIsInOrder) {
  const CancelSource source;
  const std::vector<int> same(100'000);
  std::vector<int> all = same;
  int calls = 0;
  const auto before = [&](int a, int b) {
    if (++calls == 1) source.cancel();
    return a < b;
  };
  parallel_sort(executor_, all.begin(), all.end(), before, source.token());
  EXPECT_LE(calls, 1 + 1024);
}

// ---- parallel_inclusive_scan() and parallel_exclusive_scan()

// A sum of these shows which elements are in it: the numbers from `begin` to before `end`.
struct Numbers {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

class ScanUntilCancelled {
 public:
  // Cancels the scan at the n-th call of its operation.
  explicit ScanUntilCancelled(int last) : left_(last) {
    for (std::size_t i = 0; i != in_.size(); ++i) in_[i] = {i, i + 1};
  }

  void inclusive(Executor& executor) {
    parallel_inclusive_scan(executor, in_.begin(), in_.end(), out_.begin(), Join{*this},
                            source_.token());
  }
  Numbers exclusive(Executor& executor) {
    return parallel_exclusive_scan(executor, in_.begin(), in_.end(), out_.begin(), Numbers(),
                                   Join{*this}, source_.token());
  }

  // The element's result, the sum within its block, or what it had before; `after`: the first
  // element that is not in a sum, counted from the place of the element.
  void expect_promised(std::size_t after) const {
    for (std::size_t i = 0; i != out_.size(); ++i) {
      const Numbers result{0, i + after};
      const Numbers within{i / 1024 * 1024, i + after};
      if (source_.cancelled() && (out_[i] == within || out_[i] == Numbers())) continue;
      ASSERT_EQ(out_[i], result) << i;
    }
  }
  void expect_stopped(unsigned threads) const {
    EXPECT_EQ(wrong_.load(), 0U);
    EXPECT_LE(late_.load(), std::size_t{threads} * 2 * 1024);
  }
  bool cancelled() const { return source_.cancelled(); }
  std::size_t size() const { return in_.size(); }

 private:
  struct Join {
    Numbers operator()(const Numbers& a, const Numbers& b) const {
      if (scan.source_.cancelled()) scan.late_.fetch_add(1, base::memory_order_relaxed);
      if (scan.left_.fetch_sub(1, base::memory_order_relaxed) == 1) scan.source_.cancel();
      if (a.end != b.begin) scan.wrong_.fetch_add(1, base::memory_order_relaxed);
      return {a.begin, b.end};
    }
    ScanUntilCancelled& scan;
  };

  const CancelSource source_;
  base::atomic<int> left_;
  base::atomic<std::size_t> late_{0};   // calls after the cancellation
  base::atomic<std::size_t> wrong_{0};  // calls for what are not neighbours
  std::vector<Numbers> in_ = std::vector<Numbers>(50'000);
  std::vector<Numbers> out_ = std::vector<Numbers>(in_.size());
};

TEST_P(ParallelCancel, ACancelledScanStopsSoonAndLeavesWhatIsPromised) {
  for (int last = 1; last < 200'000; last = last * 5 / 4 + 1) {
    ScanUntilCancelled scan(last);
    scan.inclusive(executor_);
    scan.expect_promised(1);
    scan.expect_stopped(threads());
  }
}

TEST_P(ParallelCancel, ACancelledExclusiveScanReturnsTheSumOfTheFirstElements) {
  for (int last = 1; last < 200'000; last = last * 5 / 4 + 1) {
    ScanUntilCancelled scan(last);
    const Numbers sum = scan.exclusive(executor_);
    EXPECT_EQ(sum.begin, 0U);
    EXPECT_TRUE(scan.cancelled() ? sum.end <= scan.size() : sum.end == scan.size());
    scan.expect_promised(0);
    scan.expect_stopped(threads());
  }
}

TEST_P(ParallelCancel, AScanWhoseTokenIsCancelledOrExpiredCallsNothing) {
  const CancelSource cancelled;
  cancelled.cancel();
  for (const CancelSource& source :
       {cancelled, CancelSource::with_deadline(base::monotonic_now())}) {
    std::vector<int> ones(5000, 1);
    int calls = 0;
    const auto add = [&](int a, int b) {
      ++calls;
      return a + b;
    };
    parallel_inclusive_scan(executor_, ones.begin(), ones.end(), ones.begin(), add, source.token());
    EXPECT_EQ(parallel_exclusive_scan(executor_, ones.begin(), ones.end(), ones.begin(), 7, add,
                                      source.token()),
              7);
    EXPECT_TRUE(source.cancelled());
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(ones, std::vector<int>(5000, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelCancel, ::testing::Values(1U, 2U, 4U));

}  // namespace
}  // namespace fathom::rt
