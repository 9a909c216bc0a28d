// Tests of the timed functions of both rings.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/rt/light_event_count.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/spsc_ring.h"
#include "queue_oracle.h"

namespace fathom::rt {
namespace {

struct Spsc {
  template <class T>
  using Of = SpscRing<T>;
};
struct Mpmc {
  template <class T>
  using Of = MpmcRing<T>;
};

template <class Kind>
class RingWithDeadline : public ::testing::Test {};

using Kinds = ::testing::Types<Spsc, Mpmc>;
TYPED_TEST_SUITE(RingWithDeadline, Kinds);

TYPED_TEST(RingWithDeadline, APastDeadlineStillAllowsOneTry) {
  for (const auto deadline :
       {LightEventCount::Deadline::min(), LightEventCount::Deadline(), base::monotonic_now()}) {
    typename TypeParam::template Of<std::unique_ptr<int>> ring(1);
    EXPECT_EQ(ring.pop_until(deadline), std::nullopt);
    EXPECT_TRUE(ring.push_until(std::make_unique<int>(1), deadline));
    auto second = std::make_unique<int>(2);
    EXPECT_FALSE(ring.push_until(std::move(second), deadline));
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(**ring.pop_until(deadline), 1);
    EXPECT_EQ(ring.pop_until(deadline), std::nullopt);
  }
}

TYPED_TEST(RingWithDeadline, ADeadlineEndsAWait) {
  typename TypeParam::template Of<Value> ring(1);
  EXPECT_EQ(ring.pop_until(soon()), std::nullopt);
  EXPECT_TRUE(ring.push(1));
  EXPECT_FALSE(ring.push_until(2, soon()));
  EXPECT_EQ(ring.pop_until(soon()), 1U);
}

TYPED_TEST(RingWithDeadline, AnItemOrRoomEndsATimedWait) {
  for (int round = 0; round < 100; ++round) {
    typename TypeParam::template Of<Value> ring(1);
    std::thread other([&] {
      EXPECT_EQ(ring.pop_until(in_an_hour()), 1U);
      linger(round);
      EXPECT_EQ(ring.pop_until(in_an_hour()), 2U);
      EXPECT_EQ(ring.pop_until(in_an_hour()), 3U);
    });
    linger(round);
    for (Value i = 1; i <= 3; ++i) EXPECT_TRUE(ring.push_until(Value(i), in_an_hour()));
    other.join();
  }
}

TYPED_TEST(RingWithDeadline, ClosingEndsATimedWait) {
  for (int round = 0; round < 50; ++round) {
    typename TypeParam::template Of<Value> empty(1);
    typename TypeParam::template Of<Value> full(1);
    EXPECT_TRUE(full.push(7));
    std::thread consumer([&] { EXPECT_EQ(empty.pop_until(in_an_hour()), std::nullopt); });
    std::thread producer([&] { EXPECT_FALSE(full.push_until(8, in_an_hour())); });
    linger(round);
    empty.close();
    full.close();
    consumer.join();
    producer.join();
    EXPECT_EQ(full.pop_until(in_an_hour()), 7U);
    EXPECT_EQ(full.pop_until(in_an_hour()), std::nullopt);
    EXPECT_FALSE(full.push_until(8, in_an_hour()));
  }
}

}  // namespace
}  // namespace fathom::rt
