// Tests of SpscRing: order, batches, wrap-around, closing, and stress with two threads.

#include "fathom/rt/spsc_ring.h"

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

using Ring = SpscRing<Value>;

constexpr std::uint64_t kNearWraps[] = {(std::uint64_t{1} << 32) - 2, (std::uint64_t{1} << 63) - 2,
                                        ~std::uint64_t{0} - 1};

enum class Form { tries, blocks, tries_batches, blocks_batches, deadlines };

void produce(Ring& ring, Form form, std::size_t items) {
  Yields yields(1);
  std::vector<Value> batch;
  for (std::size_t n = 0; n < items;) {
    yields.maybe();
    if (form == Form::blocks) {
      ASSERT_TRUE(ring.push(value_of(0, n++)));
    } else if (form == Form::deadlines) {
      n += ring.push_until(value_of(0, n), soon()) ? 1 : 0;
    } else if (form == Form::tries) {
      ring.try_push(value_of(0, n)) ? void(++n) : look_again();
    } else {
      batch.resize(std::min<std::size_t>(1 + n % 7, items - n));
      std::iota(batch.begin(), batch.end(), value_of(0, n));
      const std::size_t done =
          form == Form::tries_batches ? ring.try_push_batch(batch) : ring.push_batch(batch);
      if (form == Form::blocks_batches) {
        ASSERT_EQ(done, batch.size());
      }
      if (done == 0) look_again();
      n += done;
    }
  }
}

void consume(Ring& ring, Form form, std::size_t items, Taken& taken) {
  Yields yields(2);
  const auto take = [&](Value value) { taken.take(value); };
  while (taken.values().size() < items) {
    yields.maybe();
    std::size_t count = 1;
    if (form == Form::deadlines) {
      if (const auto item = ring.pop_until(soon())) take(*item);
    } else if (form == Form::blocks || form == Form::tries) {
      const auto item = form == Form::blocks ? ring.pop() : ring.try_pop();
      item ? take(*item) : void(count = 0);
    } else {
      count = form == Form::tries_batches ? ring.try_pop_batch(5, take) : ring.pop_batch(5, take);
    }
    if (form == Form::blocks || form == Form::blocks_batches) {
      ASSERT_GT(count, 0U);
    }
    if (count == 0) look_again();
  }
}

void run(std::size_t capacity, std::uint64_t start, std::size_t items, Form push, Form pop) {
  Ring ring(capacity, start);
  std::vector<Taken> taken{Taken(1)};
  std::thread producer([&] { produce(ring, push, items); });
  consume(ring, pop, items, taken[0]);
  producer.join();
  EXPECT_EQ(ring.size_hint(), 0U);
  expect_all(taken, 1, items);
}

TEST(SpscRing, IsFirstInFirstOutAndHoldsExactlyItsCapacity) {
  for (const std::size_t capacity : {1U, 2U, 3U, 5U, 8U}) {
    Ring ring(capacity);
    EXPECT_EQ(ring.capacity(), capacity);
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(ring.try_pop(), std::nullopt);
      for (Value i = 0; i < capacity; ++i) {
        ASSERT_EQ(ring.size_hint(), i);
        ASSERT_TRUE(ring.try_push(i));
      }
      EXPECT_FALSE(ring.try_push(99));
      for (Value i = 0; i < capacity; ++i) ASSERT_EQ(ring.try_pop(), i);
    }
  }
}

TEST(SpscRing, BatchesTakeAsMuchAsPossible) {
  Ring ring(3);
  std::vector<Value> items{1, 2, 3, 4};
  EXPECT_EQ(ring.try_push_batch({}), 0U);
  EXPECT_EQ(ring.try_push_batch(items), 3U);
  EXPECT_EQ(ring.try_push_batch(items), 0U);
  std::vector<Value> out;
  const auto keep = [&](Value value) { out.push_back(value); };
  EXPECT_EQ(ring.try_pop_batch(0, keep), 0U);
  EXPECT_EQ(ring.pop_batch(0, keep), 0U);
  EXPECT_EQ(ring.try_pop_batch(2, keep), 2U);
  EXPECT_EQ(ring.push_batch(std::span(items).subspan(3)), 1U);
  EXPECT_EQ(ring.pop_batch(100, keep), 2U);
  EXPECT_EQ(ring.try_pop_batch(100, keep), 0U);
  EXPECT_EQ(out, items);
}

TEST(SpscRing, AFullRingLeavesTheItemUntouched) {
  SpscRing<std::unique_ptr<int>> ring(1);
  EXPECT_TRUE(ring.push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(ring.try_push(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(**ring.try_pop(), 1);
  EXPECT_TRUE(ring.try_push(std::move(second)));
  EXPECT_EQ(**ring.pop(), 2);
}

TEST(SpscRing, DestroysEachRemainingItemOnce) {
  const int before = Counted::alive();
  {
    SpscRing<Counted> ring(3, ~std::uint64_t{0} - 1);
    for (Value i = 0; i < 3; ++i) EXPECT_TRUE(ring.push(Counted(i)));
    EXPECT_EQ(Counted::alive(), before + 3);
    EXPECT_EQ(ring.try_pop()->value(), 0U);
    EXPECT_EQ(ring.try_pop_batch(1, [](Counted&& item) { EXPECT_EQ(item.value(), 1U); }), 1U);
    EXPECT_EQ(Counted::alive(), before + 1);
    EXPECT_TRUE(ring.push(Counted(3)));
  }
  EXPECT_EQ(Counted::alive(), before);
}

TEST(SpscRing, ACallbackThatThrowsLosesOnlyItsOwnItem) {
  const int before = Counted::alive();
  SpscRing<Counted> ring(4);
  for (Value i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(Counted(i)));
  const auto fail_at_1 = [](Counted&& item) {
    if (item.value() == 1) throw 42;
  };
  EXPECT_THROW(ring.try_pop_batch(4, fail_at_1), int);
  EXPECT_EQ(ring.size_hint(), 2U);
  EXPECT_EQ(Counted::alive(), before + 2);
  EXPECT_TRUE(ring.try_push(Counted(4)));
  for (Value i = 2; i < 5; ++i) EXPECT_EQ(ring.try_pop()->value(), i);
}

TEST(SpscRing, Q17ACopyThatThrowsChangesNothing) {
  SpscRing<ThrowsOnCopy> ring(1);
  const ThrowsOnCopy item;
  EXPECT_THROW(ring.try_push(item), int);
  EXPECT_EQ(ring.size_hint(), 0U);
  EXPECT_TRUE(ring.try_push(ThrowsOnCopy()));
}

TEST(SpscRing, Q9RefusesInvalidCapacities) {
  for (const std::size_t capacity :
       {std::size_t{0}, Ring::max_capacity() + 1, std::numeric_limits<std::size_t>::max() / 2 + 2,
        std::numeric_limits<std::size_t>::max()}) {
    EXPECT_THROW(Ring ring(capacity), base::Error);
  }
}

TEST(SpscRing, Q8IndicesWrap) {
  for (const std::uint64_t start : kNearWraps) {
    for (const std::size_t capacity : {1U, 2U, 3U}) {
      run(capacity, start, 200, Form::tries, Form::tries);
      run(capacity, start, 200, Form::blocks_batches, Form::tries_batches);
    }
  }
}

TEST(SpscRing, Q7Q15TinyRingsLoseAndDuplicateNothing) {
  for (const std::size_t capacity : {1U, 2U, 3U}) {
    for (const Form push :
         {Form::tries, Form::blocks, Form::tries_batches, Form::blocks_batches, Form::deadlines}) {
      for (const Form pop : {Form::tries, Form::blocks, Form::tries_batches, Form::blocks_batches,
                             Form::deadlines}) {
        run(capacity, 0, 1000, push, pop);
      }
    }
  }
}

TEST(SpscRing, LargerRingsLoseAndDuplicateNothing) {
  for (const Form form : {Form::tries, Form::blocks, Form::tries_batches, Form::blocks_batches}) {
    run(100, 0, 50'000, form, form);
  }
}

TEST(SpscRing, RolesPassFromThreadToThread) {
  Ring ring(3);
  std::vector<Value> taken;
  for (Value round = 0; round < 20; ++round) {
    std::thread producer([&] {
      for (Value i = 0; i < 10; ++i) ring.push(10 * round + i);
    });
    std::thread consumer([&] {
      for (Value i = 0; i < 10; ++i) taken.push_back(ring.pop().value());
    });
    producer.join();
    consumer.join();
  }
  std::vector<Value> expected(200);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(taken, expected);
}

TEST(SpscRing, Q3APushAfterAPopNeverFails) {
  Ring ring(2);
  std::thread consumer([&] {
    for (Value i = 0; i < 5'000; ++i) ASSERT_EQ(ring.pop(), i);
  });
  for (Value i = 0; i < 5'000; ++i) {
    while (ring.size_hint() == 2) look_again();
    ASSERT_TRUE(ring.try_push(i));  // the only producer
  }
  consumer.join();
}

TEST(SpscRing, Q4EmptyIsTrue) {
  Ring ring(4);
  std::thread producer([&] {
    for (Value i = 0; i < 5'000; ++i) ASSERT_TRUE(ring.push(i));
  });
  for (Value i = 0; i < 5'000; ++i) {
    while (ring.size_hint() == 0) look_again();
    ASSERT_EQ(ring.try_pop(), i);  // the only consumer
  }
  producer.join();
}

void ping_pong(WaitFence fence) {
  Ring there(1, fence);
  Ring back(1, fence);
  std::thread other([&] {
    while (const auto item = there.pop()) ASSERT_TRUE(back.try_push(*item));
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

TEST(SpscRing, Q12PingPongLosesNoWakeUp) {
  ping_pong(WaitFence::by_waiter);
  ping_pong(WaitFence::by_both);
}

TEST(SpscRing, Q10TheDestructorMayRunOnEitherSide) {
  const int before = Counted::alive();
  for (int round = 0; round < 50; ++round) {
    auto ring = std::make_unique<SpscRing<Counted>>(2);
    std::thread producer([&] {
      for (Value i = 0; i < 10; ++i) ring->push(Counted(i));
      ring->close();
    });
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(ring->pop());
    producer.join();
    ring.reset();
    ASSERT_EQ(Counted::alive(), before);
  }
}

// Q14, for a short time. An allocation would end the program.
TEST(SpscRing, Q14NothingIsAllocatedAfterTheConstructor) {
  Ring ring(4);
  const Allocations::Refusal refusal;
  bool right = true;
  for (Value i = 0; i < 200'000; i += 4) {
    for (Value n = 0; n < 4; ++n) right = right && (n % 2 == 0 ? ring.push(i) : ring.try_push(i));
    for (Value n = 0; n < 4; ++n) right = right && (n % 2 == 0 ? ring.pop() : ring.try_pop()) == i;
  }
  EXPECT_TRUE(right);
}

TEST(SpscRing, Q16NoValueIsSpecial) {
  Ring ring(2);
  for (const Value value : {Value{0}, ~Value{0}}) {
    EXPECT_TRUE(ring.try_push(value));
    EXPECT_EQ(ring.try_pop(), value);
  }
}

TEST(SpscRing, AClosedRingIsDrainedAndRefusesPushes) {
  Ring ring(4);
  EXPECT_TRUE(ring.push(1));
  EXPECT_TRUE(ring.push(2));
  ring.close();
  ring.close();
  EXPECT_TRUE(ring.closed());
  EXPECT_FALSE(ring.push(3));
  EXPECT_FALSE(ring.try_push(3));
  std::vector<Value> items{3};
  EXPECT_EQ(ring.push_batch(items), 0U);
  EXPECT_EQ(ring.pop(), 1U);
  EXPECT_EQ(ring.pop_batch(9, [](Value value) { EXPECT_EQ(value, 2U); }), 1U);
  EXPECT_EQ(ring.pop(), std::nullopt);
  EXPECT_EQ(ring.pop_batch(9, [](Value) {}), 0U);
}

TEST(SpscRing, ClosingWakesEitherSide) {
  for (int round = 0; round < 50; ++round) {
    Ring ring(1);
    std::thread consumer([&] { EXPECT_EQ(ring.pop(), std::nullopt); });
    linger(round);
    ring.close();
    consumer.join();

    Ring full(1);
    EXPECT_TRUE(full.push(7));
    std::thread producer([&] { EXPECT_FALSE(full.push(8)); });
    linger(round);
    full.close();
    producer.join();
    EXPECT_EQ(full.pop(), 7U);
    EXPECT_EQ(full.pop(), std::nullopt);
  }
}

TEST(SpscRing, PublishesWhatItemsPointTo) {
  SpscRing<std::unique_ptr<std::size_t>> ring(2);
  std::thread producer([&] {
    for (std::size_t i = 0; i < 5000; ++i) ring.push(std::make_unique<std::size_t>(i));
    ring.close();
  });
  std::size_t next = 0;
  while (const auto item = ring.pop()) ASSERT_EQ(**item, next++);
  EXPECT_EQ(next, 5000U);
  producer.join();
}

}  // namespace
}  // namespace fathom::rt
