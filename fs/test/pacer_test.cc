// Pacer: the times of slots.

#include "walk/pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace fathom::fs {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds kStart = 1000h;

TEST(Pacer, GivesSlotsInOrder) {
  Pacer pacer(4, kStart);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(pacer.take(kStart), kStart + i * 250ms);
}

TEST(Pacer, DoesNotDriftIfSlotsAreFractionsOfNanoseconds) {
  Pacer pacer(7, kStart);
  nanoseconds last{};
  for (int i = 0; i <= 7 * 3600; ++i) last = pacer.take(kStart);
  EXPECT_EQ(last, kStart + 1h);
}

TEST(Pacer, DoesNotDriftWhenEachCallerIsLate) {
  // Each call comes 3 ms after the slot of the previous one: the next slot is not delayed.
  Pacer pacer(100, kStart);
  nanoseconds place = kStart;
  for (int i = 0; i < 1000; ++i) {
    place = pacer.take(place + 3ms);
    ASSERT_EQ(place, kStart + i * 10ms);
  }
}

TEST(Pacer, LetsALateCallerCatchUpBriefly) {
  Pacer pacer(1000, kStart);
  const nanoseconds now = kStart + 1h;
  std::uint64_t at_once = 0;
  while (pacer.take(now) <= now) ++at_once;
  EXPECT_EQ(at_once, 21U);  // those of the previous 20 ms, and the current one
}

TEST(Pacer, NeverExceedsTheRatePlusABurst) {
  Pacer pacer(1000, kStart);
  for (int second = 1; second <= 5; ++second) {
    const nanoseconds now = kStart + second * 1s;  // idle since the last one
    std::uint64_t passed = 0;
    while (pacer.take(now) < now + 1ms) ++passed;
    EXPECT_EQ(passed, 21U);
  }
}

TEST(Pacer, KeepsASlowRate) {
  Pacer pacer(1, kStart);
  EXPECT_EQ(pacer.take(kStart), kStart);
  EXPECT_EQ(pacer.take(kStart), kStart + 1s);
  EXPECT_EQ(pacer.take(kStart + 10s), kStart + 10s);
  EXPECT_EQ(pacer.take(kStart + 10s), kStart + 11s);
}

TEST(Pacer, AcceptsAnyRate) {
  Pacer pacer(std::numeric_limits<std::uint64_t>::max(), kStart);
  EXPECT_LE(pacer.take(kStart + 1h), kStart + 1h);
  EXPECT_LE(pacer.take(kStart + 24h * 365 * 100), kStart + 24h * 365 * 100);
}

TEST(Pacer, GivesEachOfManyThreadsItsOwnSlots) {
  constexpr int kThreads = 8;
  constexpr int kEach = 1000;
  Pacer pacer(1000, kStart);
  std::mutex mutex;
  std::set<nanoseconds> places;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) {
        const nanoseconds place = pacer.take(kStart);
        const std::lock_guard lock(mutex);
        places.insert(place);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(places.size(), std::size_t{kThreads * kEach});
  EXPECT_EQ(*places.rbegin(), kStart + (kThreads * kEach - 1) * 1ms);
}

}  // namespace
}  // namespace fathom::fs
