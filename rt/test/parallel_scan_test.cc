// parallel_inclusive_scan() and parallel_exclusive_scan(), compared with those of the C++ library.

#include "fathom/rt/parallel_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/rt/task_group.h"
#include "wait_asleep.h"

namespace fathom::rt {
namespace {

constexpr unsigned kScanThreads[] = {1, 2, 8};
constexpr std::size_t kSizes[] = {0, 1, 2, 1023, 1024, 1025, 2048, 2049, 50'000};

std::vector<std::uint64_t> random_addends(std::size_t n) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t& number : numbers) number = random();
  return numbers;
}

// x -> a x + b, modulo 2^32: composing two is associative, but not commutative.
struct Linear {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  friend bool operator==(const Linear&, const Linear&) = default;
};
Linear compose(const Linear& first, const Linear& second) {
  return {second.a * first.a, second.a * first.b + second.b};
}
std::vector<Linear> random_functions(std::size_t n) {
  std::vector<Linear> functions;
  for (const std::uint64_t number : random_addends(n)) {
    functions.push_back(
        {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32U)});
  }
  return functions;
}

// Calls f(executor) on a worker and on another thread, with different numbers of workers.
template <class F>
void everywhere(const F& f) {
  for (const unsigned threads : kScanThreads) {
    Executor executor({.threads = threads});
    for (int round = 0; round < 5; ++round) f(executor);
    TaskGroup group(executor);
    group.run([&] {
      for (int round = 0; round < 5; ++round) f(executor);
    });
    wait_asleep(group);
  }
}

TEST(ParallelScan, ComputesWhatTheLibraryComputes) {
  for (const std::size_t n : kSizes) {
    const std::vector<std::uint64_t> numbers = random_addends(n);
    std::vector<std::uint64_t> inclusive(n);
    std::inclusive_scan(numbers.begin(), numbers.end(), inclusive.begin());
    std::vector<std::uint64_t> exclusive(n);
    std::exclusive_scan(numbers.begin(), numbers.end(), exclusive.begin(), std::uint64_t{7});
    const std::uint64_t sum = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{7});
    everywhere([&](Executor& executor) {
      std::vector<std::uint64_t> out(n);
      parallel_inclusive_scan(executor, numbers.begin(), numbers.end(), out.begin());
      ASSERT_EQ(out, inclusive);
      out.assign(n, 0);
      ASSERT_EQ(parallel_exclusive_scan(executor, numbers.begin(), numbers.end(), out.begin(), 7U),
                sum);
      ASSERT_EQ(out, exclusive);
    });
  }
}

TEST(ParallelScan, KeepsTheOrderOfOperationsThatDoNotCommute) {
  for (const std::size_t n : kSizes) {
    const std::vector<Linear> functions = random_functions(n);
    std::vector<Linear> inclusive(n);
    std::inclusive_scan(functions.begin(), functions.end(), inclusive.begin(), compose);
    std::vector<Linear> exclusive(n);
    std::exclusive_scan(functions.begin(), functions.end(), exclusive.begin(), Linear{3, 4},
                        compose);
    everywhere([&](Executor& executor) {
      std::vector<Linear> out(n);
      parallel_inclusive_scan(executor, functions.begin(), functions.end(), out.begin(), compose);
      ASSERT_EQ(out, inclusive);
      out.assign(n, {});
      parallel_exclusive_scan(executor, functions.begin(), functions.end(), out.begin(),
                              Linear{3, 4}, compose);
      ASSERT_EQ(out, exclusive);
    });
  }
}

TEST(ParallelScan, RoundsInTheSameWayOnAnyNumberOfThreads) {
  std::vector<double> numbers;
  for (const std::uint64_t number : random_addends(50'000)) {
    numbers.push_back(static_cast<double>(number) / 3e15);
  }
  Executor alone({.threads = 1});
  std::vector<double> inclusive(numbers.size());
  parallel_inclusive_scan(alone, numbers.begin(), numbers.end(), inclusive.begin());
  std::vector<double> exclusive(numbers.size());
  const double sum =
      parallel_exclusive_scan(alone, numbers.begin(), numbers.end(), exclusive.begin(), 0.1);
  everywhere([&](Executor& executor) {
    std::vector<double> out(numbers.size());
    parallel_inclusive_scan(executor, numbers.begin(), numbers.end(), out.begin());
    ASSERT_EQ(out, inclusive);
    ASSERT_EQ(parallel_exclusive_scan(executor, numbers.begin(), numbers.end(), out.begin(), 0.1),
              sum);
    ASSERT_EQ(out, exclusive);
  });
}

TEST(ParallelScan, MayOverwriteItsInput) {
  const std::vector<std::uint64_t> numbers = random_addends(50'000);
  std::vector<std::uint64_t> inclusive(numbers.size());
  std::inclusive_scan(numbers.begin(), numbers.end(), inclusive.begin());
  everywhere([&](Executor& executor) {
    std::vector<std::uint64_t> same = numbers;
    parallel_inclusive_scan(executor, same.begin(), same.end(), same.begin());
    ASSERT_EQ(same, inclusive);
    same = numbers;
    parallel_exclusive_scan(executor, same.begin(), same.end(), same.begin(), 0U);
    ASSERT_EQ(same.front(), 0U);
    ASSERT_TRUE(std::equal(same.begin() + 1, same.end(), inclusive.begin()));
  });
}

TEST(ParallelScan, ComputesInTheTypeOfTheOutput) {
  Executor executor({.threads = 2});
  const std::vector<std::uint8_t> bytes(10'000, 200);
  std::vector<std::uint64_t> offsets(bytes.size());
  EXPECT_EQ(parallel_exclusive_scan(executor, bytes.begin(), bytes.end(), offsets.begin(), 0U),
            2'000'000U);
  EXPECT_EQ(offsets.back(), 1'999'800U);
  parallel_inclusive_scan(executor, bytes.begin(), bytes.end(), offsets.begin());
  EXPECT_EQ(offsets.back(), 2'000'000U);
}

TEST(ParallelScan, AcceptsValuesWithoutADefaultThatOwnMemory) {
  struct Text {
    explicit Text(char letter) : text(1, letter) {}
    explicit Text(std::string text_in) : text(std::move(text_in)) {}
    std::string text;
  };
  const std::string letters(3000, 'x');
  everywhere([&](Executor& executor) {
    std::vector<Text> out(letters.size(), Text(' '));
    parallel_inclusive_scan(
        executor, letters.begin(), letters.end(), out.begin(),
        [](const Text& left, const Text& right) { return Text(left.text + right.text); });
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].text.size(), i + 1);
  });
}

TEST(ParallelScan, RethrowsAnExceptionOfTheOperation) {
  const std::vector<int> ones(50'000, 1);
  std::vector<int> out(ones.size());
  everywhere([&](Executor& executor) {
    for (const int last : {0, 1, 2000, 49'998, 60'000}) {
      base::atomic<int> left{last};
      const auto add = [&](int a, int b) {
        if (left.fetch_sub(1, base::memory_order_relaxed) <= 0) throw std::runtime_error("no");
        return a + b;
      };
      ASSERT_THROW(parallel_inclusive_scan(executor, ones.begin(), ones.end(), out.begin(), add),
                   std::runtime_error);
    }
    parallel_inclusive_scan(executor, ones.begin(), ones.end(), out.begin());
    ASSERT_EQ(out.back(), 50'000);
  });
}

TEST(ParallelScan, ChangesNothingIfThereIsNoMemory) {
  Executor executor({.threads = 1});
  std::vector<int> ones(5000, 1);
  {
    const Allocations::Refusal refusal;
    EXPECT_THROW(parallel_inclusive_scan(executor, ones.begin(), ones.end(), ones.begin()),
                 std::bad_alloc);
  }
  EXPECT_EQ(ones, std::vector<int>(5000, 1));
}

TEST(ParallelScan, IsSharedWithAnIdleWorker) {
  Executor executor({.threads = 2});
  const std::vector<int> ones(100'000, 1);
  std::vector<int> out(ones.size());
  TaskGroup group(executor);
  group.run([&] {
    const auto here = std::this_thread::get_id();
    base::atomic<bool> shared{false};
    while (!shared.load(base::memory_order_relaxed)) {  // otherwise this never ends
      parallel_inclusive_scan(executor, ones.begin(), ones.end(), out.begin(), [&](int a, int b) {
        if (std::this_thread::get_id() != here) shared.store(true, base::memory_order_relaxed);
        return a + b;
      });
    }
  });
  wait_asleep(group);
  EXPECT_EQ(out.back(), 100'000);
}

TEST(ParallelScan, IsDoneByTheCallerIfNoThreadCanBeStarted) {
  Executor executor({.threads = 2, .start_thread = [](auto) -> std::thread {
                       throw std::system_error(EAGAIN, std::generic_category());
                     }});
  std::vector<int> ones(5000, 1);
  parallel_inclusive_scan(executor, ones.begin(), ones.end(), ones.begin());
  EXPECT_EQ(ones.back(), 5000);
}

TEST(ParallelScan, MayBeCalledBySeveralThreadsAtTheSameTime) {
  Executor executor({.threads = 2});
  std::vector<std::thread> callers;
  std::vector<std::vector<int>> ranges(4, std::vector<int>(20'000, 1));
  for (auto& range : ranges) {
    callers.emplace_back(
        [&] { parallel_inclusive_scan(executor, range.begin(), range.end(), range.begin()); });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& range : ranges) EXPECT_EQ(range.back(), 20'000);
}

}  // namespace
}  // namespace fathom::rt
