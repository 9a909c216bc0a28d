// Tests of TwoLockQueue: order, closing, deadlines, and stress with many threads.

#include "fathom/rt/two_lock_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

#include "allocations.h"
#include "fathom/base/clock.h"
#include "fathom/base/mutex.h"
#include "queue_oracle.h"

namespace fathom::rt {
namespace {

using Queue = TwoLockQueue<Value>;

static_assert(std::is_same_v<base::Mutex, std::mutex>, "names of locks cost nothing here");

void run(std::size_t producers, std::size_t consumers, std::size_t items, bool tries) {
  Queue queue;
  std::vector<Taken> taken(consumers, Taken(producers));
  std::vector<std::thread> pushing;
  std::vector<std::thread> popping;
  for (std::size_t c = 0; c < consumers; ++c) {
    popping.emplace_back([&, c] {
      Yields yields(100 + c);
      while (true) {
        yields.maybe();
        const bool over = queue.closed();
        const auto item = tries ? queue.try_pop() : queue.pop();
        if (item) taken[c].take(*item);
        if (!item && (over || !tries)) return;
        if (!item) look_again();
      }
    });
  }
  for (std::size_t p = 0; p < producers; ++p) {
    pushing.emplace_back([&, p] {
      Yields yields(p);
      for (std::size_t n = 0; n < items; ++n) {
        yields.maybe();
        ASSERT_TRUE(queue.push(value_of(p, n)));
      }
    });
  }
  for (std::thread& thread : pushing) thread.join();
  queue.close();
  for (std::thread& thread : popping) thread.join();
  EXPECT_TRUE(queue.empty());
  expect_all(taken, producers, items);
}

TEST(TwoLockQueue, IsFirstInFirstOut) {
  Queue queue;
  EXPECT_EQ(queue.try_pop(), std::nullopt);
  for (int round = 0; round < 3; ++round) {
    for (Value i = 0; i < 100; ++i) EXPECT_TRUE(queue.push(i));
    EXPECT_FALSE(queue.empty());
    for (Value i = 0; i < 100; ++i) EXPECT_EQ(i % 2 == 0 ? queue.try_pop() : queue.pop(), i);
    EXPECT_TRUE(queue.empty());
  }
}

TEST(TwoLockQueue, DestroysEachRemainingItemOnce) {
  const int before = Counted::alive();
  {
    TwoLockQueue<Counted> queue;
    for (Value i = 0; i < 5; ++i) EXPECT_TRUE(queue.push(Counted(i)));
    EXPECT_EQ(queue.pop()->value(), 0U);
    EXPECT_EQ(Counted::alive(), before + 4);
    queue.close();
    EXPECT_FALSE(queue.push(Counted(5)));
    EXPECT_EQ(Counted::alive(), before + 4);
  }
  EXPECT_EQ(Counted::alive(), before);
}

TEST(TwoLockQueue, Q1Q5Q6NothingIsLostDuplicatedOrReordered) {
  run(1, 1, 20'000, false);
  run(2, 2, 10'000, false);
  run(2, 2, 10'000, true);
}

TEST(TwoLockQueue, ManyMoreThreadsThanCores) {
  run(12, 12, 300, false);
}

TEST(TwoLockQueue, Q4EmptyIsTrue) {
  Queue queue;
  std::thread other([&] {  // each thread pops no more than it pushed
    for (Value i = 0; i < 5'000; ++i) {
      ASSERT_TRUE(queue.push(i));
      ASSERT_TRUE(queue.try_pop());
    }
  });
  for (Value i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(queue.push(i));
    ASSERT_TRUE(queue.try_pop());
  }
  other.join();
}

TEST(TwoLockQueue, Q11ManyShortThreads) {
  Queue queue;
  Value sum = 0;
  for (Value i = 0; i < 500; ++i) {
    std::thread pushing([&] { EXPECT_TRUE(queue.push(i)); });
    std::thread popping([&] { sum += *queue.pop(); });
    pushing.join();
    popping.join();
  }
  EXPECT_EQ(sum, 500U * 499U / 2);
}

void queue_ping_pong(WaitFence fence) {
  Queue there(fence);
  Queue back(fence);
  std::thread other([&] {
    while (const auto item = there.pop()) ASSERT_TRUE(back.push(*item));
    back.close();
  });
  for (Value i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(there.push(i));
    ASSERT_EQ(back.pop(), i);
  }
  there.close();
  EXPECT_EQ(back.pop(), std::nullopt);
  other.join();
}

TEST(TwoLockQueue, Q12PingPongLosesNoWakeUp) {
  queue_ping_pong(WaitFence::by_waiter);
  queue_ping_pong(WaitFence::by_both);
}

TEST(TwoLockQueue, ClosingWakesPopsAndKeepsTheItems) {
  for (int round = 0; round < 50; ++round) {
    Queue queue;
    base::atomic<int> taken{0};
    std::vector<std::thread> popping;
    for (int i = 0; i < 4; ++i) {
      popping.emplace_back([&] {
        while (queue.pop()) taken.fetch_add(1, base::memory_order_relaxed);
      });
    }
    int pushed = 0;
    std::thread pushing([&] {
      while (pushed < 100 && queue.push(1)) ++pushed;
    });
    linger(round);
    queue.close();
    queue.close();
    pushing.join();
    for (std::thread& thread : popping) thread.join();
    ASSERT_EQ(taken.load(base::memory_order_relaxed), pushed);
    EXPECT_FALSE(queue.push(1));
  }
}

// Q14, for a short time: memory depends on the number of items, not on the number of calls.
TEST(TwoLockQueue, APastDeadlineStillAllowsOneTry) {
  for (const auto deadline : {LightEventCount::Deadline::min(), base::monotonic_now()}) {
    Queue queue;
    EXPECT_EQ(queue.pop_until(deadline), std::nullopt);
    EXPECT_TRUE(queue.push(1));
    EXPECT_EQ(queue.pop_until(deadline), 1U);
    EXPECT_EQ(queue.pop_until(soon()), std::nullopt);
  }
}

TEST(TwoLockQueue, AnItemOrClosingEndsATimedWait) {
  for (int round = 0; round < 100; ++round) {
    Queue queue;
    std::thread other([&] {
      EXPECT_EQ(queue.pop_until(in_an_hour()), 1U);
      EXPECT_EQ(queue.pop_until(in_an_hour()), std::nullopt);
    });
    linger(round);
    EXPECT_TRUE(queue.push(1));
    linger(round);
    queue.close();
    other.join();
  }
}

TEST(TwoLockQueue, Q14MemoryDoesNotGrowWithTheNumberOfCalls) {
  Queue queue;
  const std::size_t before = Allocations::alive();
  for (Value i = 0; i < 200'000; ++i) {
    ASSERT_TRUE(queue.push(i));
    if (i % 8 == 7) {
      ASSERT_EQ(Allocations::alive(), before + 8);
      for (int n = 0; n < 8; ++n) ASSERT_TRUE(queue.try_pop());
      ASSERT_EQ(Allocations::alive(), before);
    }
  }
}

TEST(TwoLockQueue, Q16NoValueIsSpecial) {
  Queue queue;
  for (const Value value : {Value{0}, ~Value{0}}) {
    EXPECT_TRUE(queue.push(value));
    EXPECT_EQ(queue.try_pop(), value);
  }
}

TEST(TwoLockQueue, Q17APushWithoutMemoryChangesNothing) {
  Queue queue;
  {
    const Allocations::Refusal refusal;
    EXPECT_THROW(queue.push(1), std::bad_alloc);
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.push(2));
  EXPECT_EQ(queue.try_pop(), 2U);
}

TEST(TwoLockQueue, PublishesWhatItemsPointTo) {
  TwoLockQueue<std::unique_ptr<std::size_t>> queue;
  std::thread producer([&] {
    for (std::size_t i = 0; i < 5000; ++i) queue.push(std::make_unique<std::size_t>(i));
    queue.close();
  });
  std::size_t next = 0;
  while (const auto item = queue.pop()) ASSERT_EQ(**item, next++);
  EXPECT_EQ(next, 5000U);
  producer.join();
}

}  // namespace
}  // namespace fathom::rt
