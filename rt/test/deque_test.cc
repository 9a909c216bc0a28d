// Tests of the work-stealing deque: order, growth, wrap-around, and stress with thieves.

#include "fathom/rt/deque.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error.h"

namespace fathom::rt {
namespace {

using Deque = WorkStealingDeque<std::size_t>;

// Counts how often each item came out.
class Oracle {
 public:
  explicit Oracle(std::size_t items) : taken_(items) {}
  void take(std::size_t item) { taken_.at(item).fetch_add(1, base::memory_order_relaxed); }
  void expect_each_once() const {
    std::size_t lost = 0;
    std::size_t doubled = 0;
    for (const auto& taken : taken_) {
      lost += taken.load(base::memory_order_relaxed) == 0;
      doubled += taken.load(base::memory_order_relaxed) > 1;
    }
    EXPECT_EQ(lost, 0U);
    EXPECT_EQ(doubled, 0U);
  }

 private:
  std::vector<base::atomic<unsigned>> taken_;
};

// One owner, several thieves. The owner pops after so many pushes.
struct Stress {
  std::size_t capacity;
  std::uint64_t start;
  std::size_t items;
  unsigned thieves;
  bool batches;
};

void steal_until(Deque& deque, bool batches, const base::atomic<bool>& stop, Oracle& oracle) {
  Deque own(1);
  while (!stop.load(base::memory_order_acquire)) {  // pairs with run()'s release
    if (!batches) {
      const auto stolen = deque.steal();
      if (stolen.status == StealStatus::taken) oracle.take(stolen.value);
      continue;
    }
    const auto batch = deque.steal_batch(own, 8);
    if (batch.status == StealStatus::taken) oracle.take(batch.value);
    while (const auto item = own.pop()) oracle.take(*item);
  }
}

void run(const Stress& stress) {
  Deque deque(stress.capacity, stress.start);
  Oracle oracle(stress.items);
  base::atomic<bool> stop{false};
  std::vector<std::thread> thieves;
  for (unsigned i = 0; i < stress.thieves; ++i) {
    thieves.emplace_back([&] { steal_until(deque, stress.batches, stop, oracle); });
  }
  for (std::size_t item = 0; item < stress.items;) {
    // Bursts of 1 to 8, then as many pops, so that the last item is contended again and again.
    const std::size_t burst = 1 + item % 8;
    for (std::size_t i = 0; i < burst && item < stress.items; ++i) deque.push(item++);
    for (std::size_t i = 0; i < burst; ++i) {
      if (const auto popped = deque.pop()) oracle.take(*popped);
    }
    if (item % 256 == 0) std::this_thread::yield();
  }
  while (const auto popped = deque.pop()) oracle.take(*popped);
  stop.store(true, base::memory_order_release);  // pairs with steal_until()'s acquire
  for (std::thread& thief : thieves) thief.join();
  EXPECT_TRUE(deque.empty());
  oracle.expect_each_once();
}

TEST(Deque, TheOwnerTakesTheNewestAndThievesTheOldest) {
  Deque deque;
  for (std::size_t i = 0; i < 4; ++i) deque.push(i);
  EXPECT_EQ(deque.size_hint(), 4U);
  EXPECT_EQ(deque.pop(), 3U);
  EXPECT_EQ(deque.steal().value, 0U);
  EXPECT_EQ(deque.steal().value, 1U);
  EXPECT_EQ(deque.pop(), 2U);
  EXPECT_EQ(deque.pop(), std::nullopt);
  EXPECT_EQ(deque.steal().status, StealStatus::empty);
}

TEST(Deque, GrowsFromOneAndKeepsTheOrder) {
  Deque deque(1);
  for (std::size_t i = 0; i < 1000; ++i) deque.push(i);
  EXPECT_EQ(deque.capacity(), 1024U);
  for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(deque.steal().value, i);
  for (std::size_t i = 1000; i > 500; --i) ASSERT_EQ(deque.pop(), i - 1);
}

TEST(Deque, DoesNotGrowWhileThievesMakeRoom) {
  Deque deque(2);
  deque.push(0);
  for (std::size_t i = 1; i < 1000; ++i) {
    deque.push(i);
    ASSERT_EQ(deque.steal().value, i - 1);
  }
  EXPECT_EQ(deque.capacity(), 2U);
}

TEST(Deque, Q9RefusesACapacityThatIsNotAPowerOfTwoOrIsTooLarge) {
  constexpr std::size_t kMost = ~std::size_t{0};
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{3}, kMost}) {
    EXPECT_THROW(Deque deque(capacity), base::Error);
  }
  EXPECT_THROW(Deque deque(kMost / 2 + 1), std::bad_alloc);  // the size in bytes would wrap to 0
}

TEST(Deque, Q16NoValueIsSpecial) {
  Deque deque(1);
  for (const std::size_t value : {std::size_t{0}, ~std::size_t{0}}) {
    deque.push(value);
    EXPECT_EQ(deque.pop(), value);
    deque.push(value);
    const auto stolen = deque.steal();
    EXPECT_EQ(stolen.status, StealStatus::taken);
    EXPECT_EQ(stolen.value, value);
  }
}

// Q14, for a short time: memory depends on the number of items, not on the number of calls.
TEST(Deque, Q14MemoryDoesNotGrowWithTheNumberOfCalls) {
  Deque deque(8);
  const std::size_t before = Allocations::alive();
  for (std::size_t i = 0; i < 1'000'000; i += 4) {
    for (std::size_t n = 0; n < 4; ++n) deque.push(i + n);
    for (std::size_t n = 0; n < 2; ++n) ASSERT_EQ(deque.steal().value, i + n);
    for (std::size_t n = 4; n > 2; --n) ASSERT_EQ(deque.pop(), i + n - 1);
  }
  EXPECT_EQ(deque.capacity(), 8U);
  EXPECT_EQ(Allocations::alive(), before);
}

TEST(Deque, IsIntactAfterAPushThatCannotGrow) {
  Deque deque(2);
  deque.push(0);
  deque.push(1);
  {
    const Allocations::Refusal refusal;
    EXPECT_THROW(deque.push(2), std::bad_alloc);
  }
  EXPECT_EQ(deque.size_hint(), 2U);
  deque.push(2);
  for (std::size_t i = 3; i > 0; --i) EXPECT_EQ(deque.pop(), i - 1);
}

TEST(Deque, ABatchMovesHalfButAtMostTheMaximum) {
  Deque deque;
  Deque thief;
  for (std::size_t i = 0; i < 10; ++i) deque.push(i);
  auto batch = deque.steal_batch(thief, 32);
  EXPECT_EQ(batch.value, 0U);
  EXPECT_EQ(batch.moved, 4U);
  EXPECT_EQ(thief.pop(), 4U);
  batch = deque.steal_batch(thief, 1);
  EXPECT_EQ(batch.value, 5U);
  EXPECT_EQ(batch.moved, 0U);
  EXPECT_EQ(deque.size_hint(), 4U);
}

TEST(Deque, ABatchLosesNothingIfTheThiefCannotGrow) {
  Deque deque;
  Deque thief(1);
  for (std::size_t i = 0; i < 8; ++i) deque.push(i);
  StealBatch<std::size_t> batch;
  {
    const Allocations::Refusal refusal;
    batch = deque.steal_batch(thief, 32);
  }
  EXPECT_EQ(batch.value, 0U);
  EXPECT_EQ(batch.moved, 1U);
  EXPECT_EQ(deque.size_hint(), 6U);
}

TEST(Deque, D8IndicesWrapAndTheFirstIsZero) {
  for (const std::uint64_t start : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 2,
                                    (std::uint64_t{1} << 63) - 2, ~std::uint64_t{0} - 1}) {
    Deque deque(1, start);
    EXPECT_EQ(deque.pop(), std::nullopt);
    for (std::size_t i = 0; i < 5; ++i) deque.push(i);
    EXPECT_EQ(deque.steal().value, 0U);
    for (std::size_t i = 5; i > 1; --i) EXPECT_EQ(deque.pop(), i - 1);
    EXPECT_EQ(deque.pop(), std::nullopt);
    run({.capacity = 1, .start = start, .items = 2000, .thieves = 2, .batches = true});
  }
}

TEST(Deque, D1GrowthDuringStealsReturnsEachItemOnce) {
  for (int round = 0; round < 40; ++round) {
    run({.capacity = 1, .start = 0, .items = 2000, .thieves = 2, .batches = false});
  }
}

TEST(Deque, D2BatchesDoNotOvertakeTheOwner) {
  run({.capacity = 2, .start = 0, .items = 200'000, .thieves = 1, .batches = true});
  run({.capacity = 2, .start = 0, .items = 100'000, .thieves = 3, .batches = true});
}

TEST(Deque, D3D9EachItemIsTakenOnceUnderContention) {
  run({.capacity = 2, .start = 0, .items = 200'000, .thieves = 1, .batches = false});
  run({.capacity = 256, .start = 0, .items = 100'000, .thieves = 3, .batches = false});
}

TEST(Deque, OwnershipPassesFromThreadToThread) {
  Deque deque(1);
  Oracle oracle(1000);
  base::atomic<bool> stop{false};
  std::thread thief([&] { steal_until(deque, false, stop, oracle); });
  for (std::size_t first = 0; first < 1000; first += 100) {
    std::thread owner([&] {
      for (std::size_t i = 0; i < 100; ++i) deque.push(first + i);
      for (std::size_t i = 0; i < 50; ++i) {
        if (const auto popped = deque.pop()) oracle.take(*popped);
      }
    });
    owner.join();
  }
  while (const auto popped = deque.pop()) oracle.take(*popped);
  stop.store(true, base::memory_order_release);  // pairs with steal_until()'s acquire
  thief.join();
  oracle.expect_each_once();
}

// The pointees are not atomic: ThreadSanitizer checks that push() publishes them, across growth.
TEST(Deque, D4D5PublishesWhatItemsPointTo) {
  std::vector<std::size_t> payload(20'000);
  WorkStealingDeque<std::size_t*> deque(1);
  base::atomic<bool> stop{false};
  std::size_t stolen_sum = 0;
  std::size_t popped_sum = 0;
  std::thread thief([&] {
    while (!stop.load(base::memory_order_acquire)) {  // pairs with the release below
      const auto stolen = deque.steal();
      if (stolen.status == StealStatus::taken) stolen_sum += *stolen.value;
    }
  });
  std::size_t expected = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = i;
    expected += i;
    deque.push(&payload[i]);
    if (i % 4 == 3) {
      if (const auto popped = deque.pop()) popped_sum += **popped;
    }
  }
  while (const auto popped = deque.pop()) popped_sum += **popped;
  stop.store(true, base::memory_order_release);  // pairs with the acquire above
  thief.join();
  EXPECT_EQ(stolen_sum + popped_sum, expected);
}

}  // namespace
}  // namespace fathom::rt
