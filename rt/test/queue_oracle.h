// QueueOracle: checks what comes out of a queue: each value once, those of one producer in order.
//
//   Taken taken(producers);                       // one per consumer
//   taken.take(value_of(producer, n));
//   expect_all(all_taken, producers, per_producer);

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"

namespace fathom::rt {

using Value = std::uint64_t;

inline Value value_of(std::size_t producer, std::size_t n) {
  return Value{producer} << 32 | n;
}

// The values that one consumer popped.
class Taken {
 public:
  explicit Taken(std::size_t producers) : next_(producers) {}
  void take(Value value) {
    Value& next = next_.at(value >> 32);
    const Value n = value & 0xffffffff;
    reordered_ += n < next;
    next = n + 1;
    values_.push_back(value);
  }
  [[nodiscard]] std::size_t reordered() const { return reordered_; }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> next_;  // per producer: the lowest value that may come next
  std::vector<Value> values_;
  std::size_t reordered_ = 0;
};

inline void expect_all(const std::vector<Taken>& consumers, std::size_t producers,
                       std::size_t per_producer) {
  std::vector<Value> values;
  for (const Taken& taken : consumers) {
    EXPECT_EQ(taken.reordered(), 0U);
    values.insert(values.end(), taken.values().begin(), taken.values().end());
  }
  std::sort(values.begin(), values.end());
  std::vector<Value> expected;
  for (std::size_t p = 0; p < producers; ++p) {
    for (std::size_t n = 0; n < per_producer; ++n) expected.push_back(value_of(p, n));
  }
  EXPECT_EQ(values.size(), expected.size());
  EXPECT_TRUE(values == expected) << "lost, duplicated or invented";
}

// For a polling thread. Yields only occasionally: if other threads want the processor, each yield
// costs a time slice.
inline void look_again() {
  thread_local unsigned looks = 0;
  if (++looks % 512 == 0) {
    std::this_thread::yield();
  } else {
    base::cpu_relax();
  }
}

// Spends some time, more for larger n. No test depends on how much.
inline void linger(int n) {
  for (int i = 0; i < n * 64; ++i) base::cpu_relax();
  if (n % 2 == 1) std::this_thread::yield();
}

// A deadline that no test reaches, and one that comes soon.
inline base::MonotonicClock::time_point in_an_hour() {
  return base::monotonic_now() + std::chrono::hours(1);
}
inline base::MonotonicClock::time_point soon() {
  return base::monotonic_now() + std::chrono::microseconds(20);
}

// Yields the processor at random places, which depend only on the seed.
class Yields {
 public:
  explicit Yields(std::uint64_t seed) : state_(seed * 2 + 1) {}
  // True once in `times` calls on average; a power of two, at most 2^32.
  bool one_in(std::uint64_t times) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 32) % times == 0;
  }
  void maybe(std::uint64_t times = 512) {
    if (one_in(times)) std::this_thread::yield();
  }

 private:
  std::uint64_t state_;
};

// A move-only item that counts its instances and is over-aligned.
class alignas(256) Counted {
 public:
  explicit Counted(Value value) : value_(value) { add(1); }
  Counted(Counted&& other) noexcept : value_(std::exchange(other.value_, ~Value{0})) { add(1); }
  Counted& operator=(Counted&&) = delete;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { add(-1); }
  [[nodiscard]] Value value() const {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % alignof(Counted), 0U);
    return value_;
  }
  static int alive() { return alive_.load(base::memory_order_relaxed); }

 private:
  static void add(int count) { alive_.fetch_add(count, base::memory_order_relaxed); }
  static inline base::atomic<int> alive_{0};
  Value value_;
};

// Throws when copied, not when moved.
struct ThrowsOnCopy {
  ThrowsOnCopy() = default;
  ThrowsOnCopy(ThrowsOnCopy&&) noexcept = default;
  ThrowsOnCopy& operator=(ThrowsOnCopy&&) noexcept = default;
  ThrowsOnCopy(const ThrowsOnCopy& /*other*/) { throw 42; }
  ThrowsOnCopy& operator=(const ThrowsOnCopy&) = delete;
  ~ThrowsOnCopy() = default;
};

}  // namespace fathom::rt
