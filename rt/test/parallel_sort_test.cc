// parallel_sort(), compared with std::stable_sort().

#include "fathom/rt/parallel_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
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

constexpr unsigned kSortThreads[] = {1, 2, 8};

// Calls the function on a worker of the executor.
template <class F>
void on_worker(Executor& executor, const F& function) {
  TaskGroup group(executor);
  group.run([&] { function(); });
  wait_asleep(group);
}

std::vector<std::uint32_t> random_numbers(std::size_t n, std::uint32_t below) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(n);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random()) % below;
  return numbers;
}

// A number, and where it was: equal numbers must keep their order.
struct Placed {
  std::uint32_t number = 0;
  std::size_t place = 0;
  friend bool operator==(const Placed&, const Placed&) = default;
};
bool by_number(const Placed& a, const Placed& b) {
  return a.number < b.number;
}
std::vector<Placed> placed(const std::vector<std::uint32_t>& numbers) {
  std::vector<Placed> all;
  for (const std::uint32_t number : numbers) all.push_back({number, all.size()});
  return all;
}

void expect_sorted_stably(std::vector<Placed> all) {
  std::vector<Placed> expected = all;
  std::stable_sort(expected.begin(), expected.end(), by_number);
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    std::vector<Placed> here = all;
    parallel_sort(executor, here.begin(), here.end(), by_number);
    ASSERT_EQ(here, expected);
    std::vector<Placed> there = all;
    on_worker(executor, [&] { parallel_sort(executor, there.begin(), there.end(), by_number); });
    ASSERT_EQ(there, expected);
  }
}

TEST(ParallelSort, SortsAnyNumberOfElements) {
  for (const std::size_t n : {0, 1, 2, 3, 15, 16, 17, 31, 33, 2047, 2049, 4097, 70'000}) {
    expect_sorted_stably(placed(random_numbers(n, std::numeric_limits<std::uint32_t>::max())));
  }
}

TEST(ParallelSort, KeepsTheOrderOfEqualElements) {
  for (const std::uint32_t values : {1U, 2U, 10U, 1000U}) {
    expect_sorted_stably(placed(random_numbers(70'000, values)));
  }
}

TEST(ParallelSort, SortsWhatIsInOrderInReverseAndNearlyInOrder) {
  std::vector<std::uint32_t> numbers(50'000);
  std::iota(numbers.begin(), numbers.end(), 0U);
  expect_sorted_stably(placed(numbers));
  std::reverse(numbers.begin(), numbers.end());
  expect_sorted_stably(placed(numbers));
  for (std::uint32_t& number : numbers) number /= 3;  // descends, with equal elements
  expect_sorted_stably(placed(numbers));
  std::reverse(numbers.begin(), numbers.end());
  numbers.back() = 7;
  expect_sorted_stably(placed(numbers));
  for (std::size_t i = 0; i < numbers.size(); ++i) {  // rises and falls
    numbers[i] = static_cast<std::uint32_t>(std::min(i, numbers.size() - i));
  }
  expect_sorted_stably(placed(numbers));
}

TEST(ParallelSort, SortsByAnyComparisonAndAnyIterator) {
  Executor executor({.threads = 3});
  const std::vector<std::uint32_t> numbers = random_numbers(20'000, 5000);
  std::vector<std::uint32_t> expected = numbers;
  std::sort(expected.rbegin(), expected.rend());
  std::vector<std::uint32_t> falling = numbers;
  parallel_sort(executor, falling.begin(), falling.end(), std::greater<>());
  EXPECT_EQ(falling, expected);
  std::vector<std::uint32_t> backwards = numbers;
  parallel_sort(executor, backwards.rbegin(), backwards.rend());
  EXPECT_EQ(backwards, expected);
  std::deque<std::uint32_t> chunks(numbers.begin(), numbers.end());
  parallel_sort(executor, chunks.begin(), chunks.end(), std::greater<>());
  EXPECT_TRUE(std::equal(chunks.begin(), chunks.end(), expected.begin(), expected.end()));
}

TEST(ParallelSort, SortsElementsThatOwnMemory) {
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    std::vector<std::string> names;
    for (const std::uint32_t number : random_numbers(20'000, 3000)) {
      names.push_back("a name that does not fit into the string itself " + std::to_string(number));
    }
    std::vector<std::string> expected = names;
    std::sort(expected.begin(), expected.end());
    parallel_sort(executor, names.begin(), names.end());
    ASSERT_EQ(names, expected);
  }
}

TEST(ParallelSort, ComparesElementsThatOwnMemoryHardlyMoreThanNTimesLogNTimes) {
  std::vector<std::string> names;
  for (const std::uint32_t number : random_numbers(2048, 1'000'000)) {
    names.push_back("a name that does not fit into the string itself " + std::to_string(number));
  }
  Executor executor({.threads = 1});
  std::size_t comparisons = 0;
  parallel_sort(executor, names.begin(), names.end(), [&](const auto& a, const auto& b) {
    ++comparisons;
    return a < b;
  });
  constexpr std::size_t kLevels = 11;  // 2^11 is 2048
  EXPECT_LE(comparisons, 2048 * (kLevels + 1));
}

TEST(ParallelSort, SortsElementsThatCannotBeCopied) {
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    std::vector<std::unique_ptr<Placed>> owned;
    for (const Placed& one : placed(random_numbers(20'000, 500))) {
      owned.push_back(std::make_unique<Placed>(one));
    }
    std::vector<Placed> expected;
    for (const auto& one : owned) expected.push_back(*one);
    std::stable_sort(expected.begin(), expected.end(), by_number);
    parallel_sort(executor, owned.begin(), owned.end(),
                  [](const auto& a, const auto& b) { return a->number < b->number; });
    for (std::size_t i = 0; i < owned.size(); ++i) ASSERT_EQ(*owned[i], expected[i]);
  }
}

TEST(ParallelSort, NeitherMovesNorAllocatesForWhatIsInOrder) {
  struct Fixed {
    explicit Fixed(int value_in) : value(value_in) {}
    Fixed(Fixed&& other) noexcept : value(other.value) { ADD_FAILURE() << "a move"; }
    Fixed& operator=(Fixed&& other) noexcept {
      value = other.value;
      ADD_FAILURE() << "a move";
      return *this;
    }
    ~Fixed() = default;
    int value;
  };
  Executor executor({.threads = 2});
  std::deque<Fixed> rising;
  for (int i = 0; i < 1000; ++i) rising.emplace_back(i / 2);
  unsigned comparisons = 0;
  const Allocations::Refusal refusal;
  parallel_sort(executor, rising.begin(), rising.end(), [&](const Fixed& a, const Fixed& b) {
    ++comparisons;
    return a.value < b.value;
  });
  EXPECT_EQ(comparisons, 999U);
}

TEST(ParallelSort, ThrowsBeforeAnythingHasMovedIfThereIsNoMemory) {
  Executor executor({.threads = 1});
  const std::vector<std::uint32_t> numbers = random_numbers(1000, 1000);
  std::vector<std::uint32_t> same = numbers;
  {
    const Allocations::Refusal refusal;
    EXPECT_THROW(parallel_sort(executor, same.begin(), same.end()), std::bad_alloc);
  }
  EXPECT_EQ(same, numbers);
}

// ---- Exceptions

// Whether sorting the elements by a comparison that throws at its n-th call throws, and leaves the
// same elements.
template <class T>
void expect_kept_if_thrown(const std::vector<T>& all) {
  std::vector<T> expected = all;
  std::sort(expected.begin(), expected.end());
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    for (int last = 1; last < 400'000; last = last * 3 + 1) {
      base::atomic<int> left{last};
      std::vector<T> sorted = all;
      bool thrown = false;
      try {
        parallel_sort(executor, sorted.begin(), sorted.end(), [&](const T& a, const T& b) {
          if (left.fetch_sub(1, base::memory_order_relaxed) <= 0) throw std::runtime_error("no");
          return a < b;
        });
      } catch (const std::runtime_error&) {
        thrown = true;
      }
      ASSERT_EQ(thrown, left.load(base::memory_order_relaxed) < 0);
      ASSERT_TRUE(thrown || std::is_sorted(sorted.begin(), sorted.end()));
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted, expected);
    }
  }
}

TEST(ParallelSort, KeepsAllElementsIfAComparisonThrows) {
  const std::vector<std::uint32_t> numbers = random_numbers(5000, 2000);
  expect_kept_if_thrown(numbers);
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) {
    names.push_back("a name that does not fit into the string itself " + std::to_string(number));
  }
  expect_kept_if_thrown(names);
}

// A number whose copies may throw, and which has no move of its own.
struct Copied {
  explicit Copied(std::uint32_t value_in) : value(std::make_unique<std::uint32_t>(value_in)) {}
  Copied(const Copied& other) : value(copy(other)) {}
  Copied& operator=(const Copied& other) {
    value = copy(other);
    return *this;
  }
  ~Copied() = default;
  static std::unique_ptr<std::uint32_t> copy(const Copied& other) {
    if (copies_left-- == 0) throw std::runtime_error("no copy");
    return std::make_unique<std::uint32_t>(*other.value);
  }
  static inline std::int64_t copies_left = -1;  // negative: no limit
  std::unique_ptr<std::uint32_t> value;
};
bool by_value(const Copied& a, const Copied& b) {
  return *a.value < *b.value;
}

TEST(ParallelSort, SortsElementsWhoseMovesMayThrow) {
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    Copied::copies_left = -1;
    std::vector<Copied> copied;
    for (const std::uint32_t number : random_numbers(10'000, 900)) copied.emplace_back(number);
    parallel_sort(executor, copied.begin(), copied.end(), by_value);
    EXPECT_TRUE(std::is_sorted(copied.begin(), copied.end(), by_value));
  }
}

TEST(ParallelSort, LeavesValidElementsIfAMoveThrows) {
  Executor executor({.threads = 2});
  for (const std::int64_t copies : {0, 1, 1000, 1999, 2000, 3000, 3999}) {
    Copied::copies_left = -1;
    std::vector<Copied> copied;
    copied.reserve(2000);
    for (const std::uint32_t number : random_numbers(2000, 900)) copied.emplace_back(number);
    Copied::copies_left = copies;
    EXPECT_THROW(parallel_sort(executor, copied.begin(), copied.end(), by_value),
                 std::runtime_error);
    for (const Copied& one : copied) ASSERT_LT(*one.value, 900U);
  }
  Copied::copies_left = -1;
}

TEST(ParallelSort, StaysWithinTheRangeIfTheComparisonContradictsItself) {
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    std::vector<std::uint32_t> numbers = random_numbers(20'000, 1000);
    std::vector<std::string> names;
    for (const std::uint32_t number : numbers) names.push_back(std::to_string(number));
    std::vector<std::string> expected = names;
    base::atomic<std::uint32_t> calls{0};
    const auto guess = [&](const auto&, const auto&) {
      return (calls.fetch_add(1, base::memory_order_relaxed) * 2'654'435'761U) >> 31U != 0;
    };
    parallel_sort(executor, numbers.begin(), numbers.end(), guess);
    for (const std::uint32_t number : numbers) ASSERT_LT(number, 1000U);
    parallel_sort(executor, names.begin(), names.end(), guess);
    std::sort(names.begin(), names.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(names, expected);
  }
}

TEST(ParallelSort, KeepsElementsWhoseMovesMayThrowIfTheComparisonContradictsItself) {
  for (const unsigned threads : kSortThreads) {
    Executor executor({.threads = threads});
    Copied::copies_left = -1;
    std::vector<std::uint32_t> numbers = random_numbers(20'000, 1000);
    std::vector<Copied> copied;
    for (const std::uint32_t number : numbers) copied.emplace_back(number);
    base::atomic<std::uint32_t> calls{0};
    parallel_sort(executor, copied.begin(), copied.end(), [&](const Copied&, const Copied&) {
      return (calls.fetch_add(1, base::memory_order_relaxed) * 2'654'435'761U) >> 31U != 0;
    });
    std::vector<std::uint32_t> kept;
    for (const Copied& one : copied) kept.push_back(*one.value);
    std::sort(kept.begin(), kept.end());
    std::sort(numbers.begin(), numbers.end());
    ASSERT_EQ(kept, numbers);
  }
}

// ---- Threads

TEST(ParallelSort, IsDoneByTheCallerIfNoThreadCanBeStarted) {
  Executor executor({.threads = 2, .start_thread = [](auto) -> std::thread {
                       throw std::system_error(EAGAIN, std::generic_category());
                     }});
  std::vector<std::uint32_t> numbers = random_numbers(20'000, 5000);
  parallel_sort(executor, numbers.begin(), numbers.end());
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST(ParallelSort, MayBeCalledBySeveralThreadsAtTheSameTime) {
  Executor executor({.threads = 2});
  std::vector<std::thread> callers;
  std::vector<std::vector<std::uint32_t>> ranges(4, random_numbers(20'000, 5000));
  for (auto& range : ranges) {
    callers.emplace_back([&] { parallel_sort(executor, range.begin(), range.end()); });
  }
  for (std::thread& caller : callers) caller.join();
  for (auto& range : ranges) EXPECT_TRUE(std::is_sorted(range.begin(), range.end()));
}

TEST(ParallelSort, SharesEvenTheLastMerge) {
  Executor executor({.threads = 2});
  // The last merge alone compares the even numbers, which are the first half, with the odd ones.
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 100'000; ++i) numbers.push_back(2 * i);
  for (std::uint32_t i = 0; i < 100'000; ++i) numbers.push_back(2 * i + 1);
  base::atomic<bool> shared{false};
  on_worker(executor, [&] {
    const auto here = std::this_thread::get_id();
    while (!shared.load(base::memory_order_relaxed)) {  // otherwise this never ends
      std::vector<std::uint32_t> sorted = numbers;
      parallel_sort(executor, sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (a % 2 != b % 2 && std::this_thread::get_id() != here) {
          shared.store(true, base::memory_order_relaxed);
        }
        return a < b;
      });
      ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    }
  });
}

}  // namespace
}  // namespace fathom::rt
