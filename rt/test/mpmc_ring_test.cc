// Tests of MpmcRing: order, batches, wrap-around, closing, and stress with many threads.

#include "fathom/rt/mpmc_ring.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "allocations.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "queue_oracle.h"

namespace fathom::rt {
namespace {

using Ring = MpmcRing<Value>;

constexpr std::uint64_t kNearWraps[] = {(std::uint64_t{1} << 32) - 2, (std::uint64_t{1} << 62) - 2,
                                        (std::uint64_t{1} << 63) - 2, ~std::uint64_t{0} - 1};

enum class Form { tries, blocks, tries_batches, blocks_batches, deadlines, mixed };

void produce(Ring& ring, Form form, std::size_t producer, std::size_t items) {
  Yields yields(producer);
  std::vector<Value> batch;
  for (std::size_t n = 0; n < items;) {
    yields.maybe();
    const Form now = form == Form::mixed ? static_cast<Form>(n % 5) : form;
    std::size_t done = 1;
    if (now == Form::blocks) {
      ASSERT_TRUE(ring.push(value_of(producer, n)));
    } else if (now == Form::deadlines) {
      done = ring.push_until(value_of(producer, n), soon()) ? 1 : 0;
    } else if (now == Form::tries) {
      done = ring.try_push(value_of(producer, n)) ? 1 : 0;
    } else {
      batch.resize(std::min<std::size_t>(1 + n % 7, items - n));
      std::iota(batch.begin(), batch.end(), value_of(producer, n));
      done = now == Form::tries_batches ? ring.try_push_batch(batch) : ring.push_batch(batch);
      if (now == Form::blocks_batches) {
        ASSERT_EQ(done, batch.size());
      }
    }
    if (done == 0) look_again();
    n += done;
  }
}

// Pops until the ring is closed and empty.
void consume(Ring& ring, Form form, std::size_t consumer, Taken& taken) {
  Yields yields(100 + consumer);
  const auto take = [&](Value value) noexcept { taken.take(value); };
  for (std::size_t turn = 0;; ++turn) {
    yields.maybe();
    const Form now = form == Form::mixed ? static_cast<Form>(turn % 5) : form;
    if (now == Form::blocks || now == Form::blocks_batches) {
      if (now == Form::blocks_batches) {
        if (ring.pop_batch(5, take) == 0) return;
      } else {
        const auto item = ring.pop();
        if (!item) return;
        take(*item);
      }
      continue;
    }
    const bool over = ring.closed() && ring.size_hint() == 0;
    std::size_t count = 1;
    if (now == Form::tries || now == Form::deadlines) {
      const auto item = now == Form::tries ? ring.try_pop() : ring.pop_until(soon());
      item ? take(*item) : void(count = 0);
    } else {
      count = ring.try_pop_batch(5, take);
    }
    if (count == 0 && over) return;
    if (count == 0) look_again();
  }
}

struct Stress {
  std::size_t capacity = 1;
  std::uint64_t start = 0;
  std::size_t producers = 2;
  std::size_t consumers = 2;
  std::size_t items = 1000;  // per producer
  Form push = Form::mixed;
  Form pop = Form::mixed;
};

void run(const Stress& stress) {
  Ring ring(stress.capacity, stress.start);
  std::vector<Taken> taken(stress.consumers, Taken(stress.producers));
  std::vector<std::thread> producers;
  std::vector<std::thread> consumers;
  for (std::size_t i = 0; i < stress.consumers; ++i) {
    consumers.emplace_back([&, i] { consume(ring, stress.pop, i, taken[i]); });
  }
  for (std::size_t i = 0; i < stress.producers; ++i) {
    producers.emplace_back([&, i] { produce(ring, stress.push, i, stress.items); });
  }
  for (std::thread& producer : producers) producer.join();
  ring.close();
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(ring.size_hint(), 0U);
  expect_all(taken, stress.producers, stress.items);
}

TEST(MpmcRing, IsFirstInFirstOutAndHoldsAPowerOfTwo) {
  for (const std::size_t capacity : {1U, 2U, 3U, 8U}) {
    Ring ring(capacity);
    EXPECT_EQ(ring.capacity(), std::bit_ceil(capacity));
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(ring.try_pop(), std::nullopt);
      for (Value i = 0; i < ring.capacity(); ++i) {
        ASSERT_EQ(ring.size_hint(), i);
        ASSERT_TRUE(i % 2 == 0 ? ring.try_push(i) : ring.push(i));
      }
      EXPECT_FALSE(ring.try_push(99));
      for (Value i = 0; i < ring.capacity(); ++i) {
        ASSERT_EQ(i % 3 == 0 ? ring.try_pop() : ring.pop(), i);
      }
    }
  }
}

TEST(MpmcRing, BatchesTakeAsMuchAsPossible) {
  Ring ring(4);
  std::vector<Value> items{1, 2, 3, 4, 5};
  EXPECT_EQ(ring.try_push_batch({}), 0U);
  EXPECT_EQ(ring.push_batch({}), 0U);
  EXPECT_EQ(ring.try_push_batch(items), 4U);
  EXPECT_EQ(ring.try_push_batch(items), 0U);
  std::vector<Value> out;
  const auto keep = [&](Value value) noexcept { out.push_back(value); };
  EXPECT_EQ(ring.try_pop_batch(0, keep), 0U);
  EXPECT_EQ(ring.pop_batch(0, keep), 0U);
  EXPECT_EQ(ring.try_pop_batch(2, keep), 2U);
  EXPECT_EQ(ring.push_batch(std::span(items).subspan(4)), 1U);
  EXPECT_EQ(ring.pop_batch(100, keep), 3U);
  EXPECT_EQ(ring.try_pop_batch(100, keep), 0U);
  EXPECT_EQ(out, items);
}

TEST(MpmcRing, AFullRingLeavesTheItemUntouched) {
  MpmcRing<std::unique_ptr<int>> ring(1);
  EXPECT_TRUE(ring.push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(ring.try_push(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(**ring.try_pop(), 1);
  EXPECT_TRUE(ring.try_push(std::move(second)));
  EXPECT_EQ(**ring.pop(), 2);
}

TEST(MpmcRing, DestroysEachRemainingItemOnce) {
  const int before = Counted::alive();
  {
    MpmcRing<Counted> ring(4, ~std::uint64_t{0} - 1);
    for (Value i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(Counted(i)));
    EXPECT_EQ(Counted::alive(), before + 4);
    EXPECT_EQ(ring.try_pop()->value(), 0U);
    EXPECT_EQ(ring.try_pop_batch(1, [](Counted&&) noexcept {}), 1U);
    EXPECT_EQ(ring.pop()->value(), 2U);
    EXPECT_EQ(Counted::alive(), before + 1);
    EXPECT_TRUE(ring.push(Counted(4)));
  }
  EXPECT_EQ(Counted::alive(), before);
}

TEST(MpmcRing, Q17ACopyThatThrowsChangesNothing) {
  MpmcRing<ThrowsOnCopy> ring(1);
  const ThrowsOnCopy item;
  EXPECT_THROW(ring.try_push(item), int);
  EXPECT_EQ(ring.size_hint(), 0U);
  EXPECT_TRUE(ring.try_push(ThrowsOnCopy()));
}

TEST(MpmcRing, Q9RefusesInvalidCapacities) {
  for (const std::size_t capacity :
       {std::size_t{0}, Ring::max_capacity() + 1, std::numeric_limits<std::size_t>::max() / 2 + 2,
        std::numeric_limits<std::size_t>::max()}) {
    EXPECT_THROW(Ring ring(capacity), base::Error);
  }
}

// Q14, for a short time. An allocation would end the program.
TEST(MpmcRing, Q14NothingIsAllocatedAfterTheConstructor) {
  Ring ring(4);
  const Allocations::Refusal refusal;
  bool right = true;
  for (Value i = 0; i < 200'000; i += 4) {
    for (Value n = 0; n < 4; ++n) right = right && (n % 2 == 0 ? ring.push(i) : ring.try_push(i));
    for (Value n = 0; n < 4; ++n) right = right && (n % 2 == 0 ? ring.pop() : ring.try_pop()) == i;
  }
  EXPECT_TRUE(right);
}

TEST(MpmcRing, Q16NoValueIsSpecial) {
  Ring ring(2);
  for (const Value value : {Value{0}, ~Value{0}}) {
    EXPECT_TRUE(ring.try_push(value));
    EXPECT_EQ(ring.try_pop(), value);
  }
}

TEST(MpmcRing, Q8TicketsWrap) {
  for (const std::uint64_t start : kNearWraps) {
    for (const std::size_t capacity : {1U, 2U, 4U}) {
      run({.capacity = capacity, .start = start, .items = 200});
    }
  }
}

TEST(MpmcRing, Q2Q7Q15TinyRingsLoseAndDuplicateNothing) {
  for (const std::size_t capacity : {1U, 2U, 4U}) {
    for (const Form form :
         {Form::tries, Form::blocks, Form::tries_batches, Form::blocks_batches, Form::deadlines}) {
      run({.capacity = capacity, .items = 500, .push = form, .pop = Form::mixed});
      run({.capacity = capacity, .items = 500, .push = Form::mixed, .pop = form});
      run({.capacity = capacity, .items = 500, .push = form, .pop = form});
    }
  }
}

TEST(MpmcRing, LargerRingsLoseAndDuplicateNothing) {
  for (const Form form :
       {Form::tries, Form::blocks, Form::blocks_batches, Form::deadlines, Form::mixed}) {
    run({.capacity = 64, .items = 10'000, .push = form, .pop = form});
  }
}

TEST(MpmcRing, ManyMoreThreadsThanCores) {
  run({.capacity = 2, .producers = 12, .consumers = 12, .items = 100});
  run({.capacity = 16, .producers = 12, .consumers = 3, .items = 300, .push = Form::blocks});
  run({.capacity = 16, .producers = 3, .consumers = 12, .items = 1000, .pop = Form::blocks});
}

TEST(MpmcRing, Q3APushAfterAPopNeverFailsWithoutConcurrentCalls) {
  Ring ring(1);
  for (Value i = 0; i < 100; ++i) {
    ASSERT_TRUE(ring.try_push(i));
    ASSERT_EQ(ring.try_pop(), i);
  }
}

TEST(MpmcRing, WaitingPopsShareAllItems) {
  Ring ring(2);
  base::atomic<int> left{0};
  std::vector<Taken> taken(3, Taken(1));
  std::vector<std::thread> consumers;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    consumers.emplace_back([&, i] {
      while (const auto item = ring.pop()) taken[i].take(*item);
      left.fetch_add(1, base::memory_order_relaxed);
    });
  }
  for (std::size_t n = 0; n < 3000; ++n) ASSERT_TRUE(ring.push(value_of(0, n)));
  ring.close();
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(left.load(base::memory_order_relaxed), 3);
  expect_all(taken, 1, 3000);
}

void ping_pong(WaitFence fence) {
  Ring there(1, fence);
  Ring back(1, fence);
  std::thread other([&] {
    while (const auto item = there.pop()) ASSERT_TRUE(back.push(*item));
    back.close();
  });
  for (Value i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(there.try_push(i));
    ASSERT_EQ(back.pop(), i);
  }
  there.close();
  EXPECT_EQ(back.pop(), std::nullopt);
  other.join();
}

TEST(MpmcRing, Q12PingPongLosesNoWakeUp) {
  ping_pong(WaitFence::by_waiter);
  ping_pong(WaitFence::by_both);
}

TEST(MpmcRing, AClosedRingIsDrainedAndRefusesPushes) {
  Ring ring(4);
  for (Value i = 1; i < 5; ++i) EXPECT_TRUE(ring.push(i));
  ring.close();
  ring.close();
  EXPECT_TRUE(ring.closed());
  std::vector<Value> items{5, 6};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ring.push(5));
    EXPECT_FALSE(ring.try_push(5));
    EXPECT_EQ(ring.push_batch(items), 0U);
  }
  EXPECT_EQ(ring.size_hint(), 4U);
  EXPECT_EQ(ring.pop(), 1U);
  EXPECT_EQ(ring.try_pop(), 2U);
  EXPECT_EQ(ring.pop_batch(9, [](Value) noexcept {}), 2U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ring.pop(), std::nullopt);
    EXPECT_EQ(ring.try_pop(), std::nullopt);
    EXPECT_EQ(ring.pop_batch(9, [](Value) noexcept {}), 0U);
    EXPECT_EQ(ring.size_hint(), 0U);
  }
}

TEST(MpmcRing, ClosingWakesPops) {
  for (int round = 0; round < 50; ++round) {
    Ring ring(2);
    std::vector<std::thread> consumers;
    for (int i = 0; i < 4; ++i) {
      consumers.emplace_back([&] { EXPECT_EQ(ring.pop(), std::nullopt); });
    }
    linger(round);
    ring.close();
    for (std::thread& consumer : consumers) consumer.join();
  }
}

// Pushes that wait leave their tickets behind; the return values say what must come out.
TEST(MpmcRing, ClosingWakesPushesAndLosesNoSuccessfulOne) {
  for (int round = 0; round < 200; ++round) {
    Ring ring(2, kNearWraps[round % 4]);
    std::vector<std::size_t> pushed(4);
    std::vector<Taken> taken(2, Taken(pushed.size()));
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < pushed.size(); ++p) {
      threads.emplace_back([&, p] {
        if (p == 0) {  // a batch of five, through two slots
          std::vector<Value> batch(5);
          std::iota(batch.begin(), batch.end(), value_of(p, 0));
          pushed[p] = ring.push_batch(batch);
          return;
        }
        while (pushed[p] < 3 && ring.push(value_of(p, pushed[p]))) ++pushed[p];
      });
    }
    // Some rounds pop while the ring is being closed, some only afterwards.
    for (std::size_t c = 0; c < taken.size() && round % 2 == 0; ++c) {
      threads.emplace_back([&, c] {
        for (int i = 0; i < round % 8; ++i) {
          const auto item = c == 0 ? ring.pop() : ring.try_pop();
          if (item) taken[c].take(*item);
        }
      });
    }
    linger(round % 16);
    ring.close();
    for (std::thread& thread : threads) thread.join();
    if (round % 4 < 2) {
      while (const auto item = ring.pop()) taken[0].take(*item);
    } else {
      while (const auto item = ring.try_pop()) taken[0].take(*item);
    }
    ASSERT_EQ(ring.try_pop(), std::nullopt);
    std::vector<Value> expected;
    for (std::size_t p = 0; p < pushed.size(); ++p) {
      for (std::size_t n = 0; n < pushed[p]; ++n) expected.push_back(value_of(p, n));
    }
    std::vector<Value> values = taken[0].values();
    values.insert(values.end(), taken[1].values().begin(), taken[1].values().end());
    std::sort(values.begin(), values.end());
    ASSERT_EQ(values, expected);
    ASSERT_EQ(taken[0].reordered() + taken[1].reordered(), 0U);
  }
}

TEST(MpmcRing, PublishesWhatItemsPointTo) {
  MpmcRing<std::unique_ptr<std::size_t>> ring(2);
  base::atomic<std::size_t> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (const auto item = ring.pop()) sum.fetch_add(**item, base::memory_order_relaxed);
    });
  }
  std::thread other([&] {
    for (std::size_t i = 0; i < 2000; ++i) ring.push(std::make_unique<std::size_t>(i));
  });
  for (std::size_t i = 0; i < 2000; ++i) ring.push(std::make_unique<std::size_t>(i));
  other.join();
  ring.close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(base::memory_order_relaxed), 2000U * 1999U);
}

}  // namespace
}  // namespace fathom::rt
