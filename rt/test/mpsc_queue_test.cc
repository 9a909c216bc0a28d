// Tests of MpscQueue: order, wake-ups, memory, exceptions, and stress with many producers.

#include "fathom/rt/mpsc_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.h"
#include "fathom/rt/event_count.h"
#include "queue_oracle.h"

namespace fathom::rt {
namespace {

using Queue = MpscQueue<Value>;

// Segments of two slots: every other push adds one.
using NarrowQueue = MpscQueue<Value, 2>;

TEST(MpscQueue, IsFirstInFirstOut) {
  Queue queue;
  EXPECT_EQ(queue.try_pop(), std::nullopt);
  for (Value i = 0; i < 10; ++i) queue.push(i);
  for (Value i = 0; i < 5; ++i) EXPECT_EQ(queue.try_pop(), i);
  for (Value i = 10; i < 15; ++i) queue.push(i);
  Value next = 5;
  EXPECT_EQ(queue.drain([&](Value value) { EXPECT_EQ(value, next++); }), 10U);
  EXPECT_EQ(next, 15U);
  EXPECT_TRUE(queue.empty());
}

TEST(MpscQueue, OnlyTheFirstPushToAnEmptyQueueRequestsAWakeUp) {
  Queue queue;
  EXPECT_TRUE(queue.push(1));
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.drain([](Value) {}), 2U);
  EXPECT_TRUE(queue.push(3));
  EXPECT_EQ(queue.try_pop(), 3U);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
  EXPECT_TRUE(queue.push(4));
  EXPECT_FALSE(queue.push(5));
}

TEST(MpscQueue, NoPushRequestsAWakeUpWhileTheConsumerStillFindsItems) {
  NarrowQueue queue;
  EXPECT_TRUE(queue.push(0));
  for (Value i = 1; i < 20; ++i) {
    EXPECT_EQ(queue.try_pop(), i - 1);
    EXPECT_FALSE(queue.push(i));
  }
}

TEST(MpscQueue, EmptyIsACheckTooSoTheNextPushRequestsAWakeUp) {
  NarrowQueue queue;
  for (Value i = 0; i < 20; ++i) {
    EXPECT_TRUE(queue.push(i));
    EXPECT_FALSE(queue.empty());
    EXPECT_FALSE(queue.push(i));
    EXPECT_EQ(queue.try_pop(), i);
    EXPECT_EQ(queue.try_pop(), i);
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.empty());
  }
}

TEST(MpscQueue, ItemsPushedWhileDrainingAreDrained) {
  Queue queue;
  queue.push(0);
  Value next = 0;
  const auto count = queue.drain([&](Value value) {
    EXPECT_EQ(value, next++);
    if (value < 9) queue.push(value + 1);
  });
  EXPECT_EQ(count, 10U);
}

TEST(MpscQueue, DestroysEachRemainingItemOnce) {
  const int before = Counted::alive();
  {
    MpscQueue<Counted, 3> queue;
    for (Value i = 0; i < 7; ++i) queue.push(Counted(i));
    EXPECT_EQ(queue.try_pop()->value(), 0U);
    queue.push(Counted(7));  // the third segment, of which the consumer knows only the first
    EXPECT_EQ(Counted::alive(), before + 7);
  }
  EXPECT_EQ(Counted::alive(), before);
}

TEST(MpscQueue, Q17ACallbackThatThrowsLosesOnlyItsOwnItem) {
  const int before = Counted::alive();
  MpscQueue<Counted, 2> queue;
  for (Value i = 0; i < 4; ++i) queue.push(Counted(i));
  EXPECT_THROW(queue.drain([](Counted&& item) {
    if (item.value() == 1) throw 42;
  }),
               int);
  EXPECT_EQ(Counted::alive(), before + 2);
  for (Value i = 2; i < 4; ++i) EXPECT_EQ(queue.try_pop()->value(), i);
}

// Segments of one slot are added and used again by every push.
template <class AnyQueue>
void exercise(std::size_t producers) {
  const std::size_t items = 24'000 / producers;
  AnyQueue queue;
  std::vector<Taken> taken{Taken(producers)};
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < producers; ++p) {
    threads.emplace_back([&, p] {
      Yields yields(p);
      for (std::size_t n = 0; n < items; ++n) {
        yields.maybe();
        queue.push(value_of(p, n));
      }
    });
  }
  for (std::size_t turn = 0; taken[0].values().size() < producers * items; ++turn) {
    std::size_t count = 0;
    if (turn % 3 == 0) {
      count = queue.drain([&](Value value) { taken[0].take(value); });
    } else if (const auto item = queue.try_pop()) {
      taken[0].take(*item);
      count = 1;
    }
    if (count == 0) look_again();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(queue.empty());
  expect_all(taken, producers, items);
}

TEST(MpscQueue, Q1Q4Q11NothingIsLostDuplicatedOrReordered) {
  for (const std::size_t producers : {1U, 2U, 12U}) {
    exercise<MpscQueue<Value, 1>>(producers);
    exercise<NarrowQueue>(producers);
    exercise<Queue>(producers);
  }
}

// An item whose move lets the others run while its slot is claimed but not written, now and then.
class Slow {
 public:
  explicit Slow(Value value) : value_(value) {}
  Slow(Slow&& other) noexcept : value_(std::exchange(other.value_, ~Value{0})) {
    thread_local Yields yields(value_);
    yields.maybe(8);
  }
  Slow& operator=(Slow&&) = delete;
  Slow(const Slow&) = delete;
  Slow& operator=(const Slow&) = delete;
  ~Slow() = default;
  [[nodiscard]] Value value() const { return value_; }

 private:
  Value value_;
};

TEST(MpscQueue, Q1Q4PushesThatAreSkippedLoseNothingEither) {
  constexpr std::size_t kProducers = 3;
  constexpr std::size_t kItems = 4000;
  MpscQueue<Slow, 2> queue;
  std::vector<Taken> taken{Taken(kProducers)};
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < kProducers; ++p) {
    threads.emplace_back([&, p] {
      for (std::size_t n = 0; n < kItems; ++n) queue.push(Slow(value_of(p, n)));
    });
  }
  while (taken[0].values().size() < kProducers * kItems) {
    if (queue.drain([&](const Slow& item) { taken[0].take(item.value()); }) == 0) look_again();
  }
  for (std::thread& thread : threads) thread.join();
  expect_all(taken, kProducers, kItems);
}

// A semaphore stands for the reactor: each true is one wake-up, and the consumer sleeps without
// checking the queue again.
TEST(MpscQueue, Q12AConsumerThatSleepsUntilWokenMissesNothing) {
  constexpr std::size_t kProducers = 3;
  constexpr std::size_t kItems = 5000;
  NarrowQueue queue;
  EventCount events;
  base::atomic<std::size_t> wakes{0};
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < kProducers; ++p) {
    threads.emplace_back([&, p] {
      Yields yields(p);
      for (std::size_t n = 0; n < kItems; ++n) {
        yields.maybe();
        if (!queue.push(value_of(p, n))) continue;
        wakes.fetch_add(1, base::memory_order_release);  // pairs with the acquire below
        events.notify_one();
      }
    });
  }
  std::vector<Taken> taken{Taken(kProducers)};
  std::size_t slept = 0;
  while (taken[0].values().size() < kProducers * kItems) {
    while (wakes.load(base::memory_order_acquire) == slept) {
      const auto key = events.prepare_wait();
      if (wakes.load(base::memory_order_acquire) == slept) {
        events.commit_wait(key);
      } else {
        events.cancel_wait(key);
      }
    }
    ++slept;  // a wake-up that came while awake costs one useless check
    queue.drain([&](Value value) { taken[0].take(value); });
  }
  for (std::thread& thread : threads) thread.join();
  expect_all(taken, kProducers, kItems);
}

TEST(MpscQueue, Q11ManyShortThreads) {
  Queue queue;
  std::vector<Taken> taken{Taken(500)};
  for (std::size_t p = 0; p < 500; ++p) {
    std::thread pushing([&] {
      for (std::size_t n = 0; n < 4; ++n) queue.push(value_of(p, n));
    });
    if (const auto item = queue.try_pop()) taken[0].take(*item);
    pushing.join();
  }
  queue.drain([&](Value value) { taken[0].take(value); });
  expect_all(taken, 500, 4);
}

// Q14, for a short time: memory depends on the number of items, not on the number of calls. An
// empty queue keeps the newest segment and a spare one.
TEST(MpscQueue, Q14MemoryDoesNotGrowWithTheNumberOfCalls) {
  const std::size_t before = Allocations::alive();
  {
    NarrowQueue queue;
    EXPECT_EQ(Allocations::alive(), before);
    for (Value i = 0; i < 200'000; ++i) {
      queue.push(i);
      if (i % 8 == 7) {
        ASSERT_LE(Allocations::alive(), before + 6);  // for 8 items, and a spare one
        ASSERT_TRUE(queue.try_pop());
        ASSERT_EQ(queue.drain([](Value) {}), 7U);
        ASSERT_LE(Allocations::alive(), before + 2);
      }
    }
  }
  EXPECT_EQ(Allocations::alive(), before);
}

TEST(MpscQueue, AllocatesNothingWhileTheConsumerKeepsUp) {
  NarrowQueue queue;
  for (Value i = 0; i < 6; ++i) {
    queue.push(i);
    queue.try_pop();
  }
  const Allocations::Refusal refusal;
  for (Value i = 0; i < 1000; ++i) {
    queue.push(i);
    EXPECT_EQ(queue.try_pop(), i);
  }
}

TEST(MpscQueue, Q16NoValueIsSpecial) {
  Queue queue;
  for (const Value value : {Value{0}, ~Value{0}}) {
    queue.push(value);
    EXPECT_EQ(queue.try_pop(), value);
  }
}

TEST(MpscQueue, Q17APushWithoutMemoryChangesNothing) {
  NarrowQueue queue;
  const auto refuse = [&] {
    const Allocations::Refusal refusal;
    EXPECT_THROW(queue.push(9), std::bad_alloc);
  };
  refuse();
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.push(1));
  EXPECT_FALSE(queue.push(2));
  refuse();  // the segment is full
  EXPECT_EQ(queue.try_pop(), 1U);
  EXPECT_EQ(queue.try_pop(), 2U);
  EXPECT_TRUE(queue.empty());
  refuse();
  EXPECT_TRUE(queue.push(3));
  EXPECT_EQ(queue.try_pop(), 3U);
}

TEST(MpscQueue, PublishesWhatItemsPointTo) {
  MpscQueue<std::unique_ptr<std::size_t>> queue;
  std::thread producer([&] {
    for (std::size_t i = 0; i < 5000; ++i) queue.push(std::make_unique<std::size_t>(i));
  });
  for (std::size_t next = 0; next < 5000;) {
    if (queue.drain([&](std::unique_ptr<std::size_t>&& item) { ASSERT_EQ(*item, next++); }) == 0) {
      look_again();
    }
  }
  producer.join();
}

}  // namespace
}  // namespace fathom::rt
