// Records every call on all queues and the deque with real threads, and checks the history
// afterwards: nothing may be lost, duplicated, invented or reordered, and "empty", "full" and
// "lost race" must be true. testing/history.h describes the checks.
//
// Capacities are tiny and indices start near their wrap-around, so that each path of the code is
// taken often; threads yield at random places, which depend only on the seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/deque.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/mpsc_queue.h"
#include "fathom/rt/spsc_ring.h"
#include "fathom/rt/two_lock_queue.h"
#include "fathom/testing/history.h"
#include "queue_oracle.h"

namespace fathom::rt {
namespace {

using testing::Did;
using testing::Finding;
using testing::History;
using testing::QueueRules;

struct Shape {
  std::size_t capacity;
  std::uint64_t start;
  std::size_t producers;
  std::size_t consumers;  // thieves in the case of a deque
};

std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  const Shape& shape = info.param;
  return "capacity_" + std::to_string(shape.capacity) + "_start_" + std::to_string(shape.start) +
         "_threads_" + std::to_string(shape.producers) + "_" + std::to_string(shape.consumers);
}

std::vector<Shape> shapes(const std::vector<std::size_t>& capacities,
                          const std::vector<std::pair<std::size_t, std::size_t>>& threads) {
  std::vector<Shape> all;
  for (const std::size_t capacity : capacities) {
    for (const std::uint64_t start : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 2,
                                      (std::uint64_t{1} << 63) - 2, ~std::uint64_t{0} - 1}) {
      for (const auto& [producers, consumers] : threads) {
        all.push_back({capacity, start, producers, consumers});
      }
    }
  }
  return all;
}

constexpr std::size_t kItems = 2'000;  // all producers together
constexpr std::size_t kVain = 8'000;   // the number of failed calls per thread that are checked

// ---- Adapters that give all queues the same interface

// For SpscRing and MpmcRing.
template <class Ring>
class RingSubject {
 public:
  explicit RingSubject(const Shape& shape) : ring_(shape.capacity, shape.start) {}
  [[nodiscard]] std::size_t capacity() const { return ring_.capacity(); }
  bool try_push(Value value) { return ring_.try_push(value); }
  void push(Value value) { ASSERT_TRUE(ring_.push(value)); }
  std::optional<Value> try_pop() { return ring_.try_pop(); }
  std::optional<Value> pop() { return ring_.pop(); }
  void close() { ring_.close(); }
  [[nodiscard]] bool closed() const { return ring_.closed(); }

 private:
  Ring ring_;
};

class TwoLockSubject {
 public:
  explicit TwoLockSubject(const Shape& /*shape*/) {}
  [[nodiscard]] static std::size_t capacity() { return QueueRules{}.capacity; }
  bool try_push(Value value) { return queue_.push(value); }
  void push(Value value) { ASSERT_TRUE(queue_.push(value)); }
  std::optional<Value> try_pop() { return queue_.try_pop(); }
  std::optional<Value> pop() { return queue_.pop(); }
  void close() { queue_.close(); }
  [[nodiscard]] bool closed() const { return queue_.closed(); }

 private:
  TwoLockQueue<Value> queue_;
};

// MpscQueue does not close, so the test ends it.
class MpscSubject {
 public:
  explicit MpscSubject(const Shape& /*shape*/) {}
  [[nodiscard]] static std::size_t capacity() { return QueueRules{}.capacity; }
  bool try_push(Value value) {
    queue_.push(value);
    return true;
  }
  void push(Value value) { queue_.push(value); }
  std::optional<Value> try_pop() { return queue_.try_pop(); }
  std::optional<Value> pop() {
    for (;;) {
      const bool over = closed();
      const auto item = queue_.try_pop();
      if (item || over) return item;
      look_again();
    }
  }
  void close() { closed_.store(true, base::memory_order_release); }  // pairs with closed()
  [[nodiscard]] bool closed() const { return closed_.load(base::memory_order_acquire); }

 private:
  MpscQueue<Value, 2> queue_;  // most pushes and pops are next to the boundary of a segment
  base::atomic<bool> closed_{false};
};

// ---- Running

enum class Calls { tries, mixed };

template <class Subject>
void push_all(Subject& queue, History::Log& log, Yields& yields, Calls calls, Value first,
              std::size_t count) {
  for (Value value = first; value < first + count;) {
    yields.maybe(8);
    const bool waits = calls == Calls::mixed && yields.one_in(2);
    bool pushed = true;
    const auto begin = log.begin();
    waits ? queue.push(value) : void(pushed = queue.try_push(value));
    log.end(begin, pushed ? Did::push : Did::full, value);
    if (pushed) {
      ++value;
    } else {
      yields.maybe(4);
    }
  }
}

// Pops until the queue is closed and empty.
template <class Subject>
void pop_all(Subject& queue, History::Log& log, Yields& yields, Calls calls) {
  for (;;) {
    yields.maybe(8);
    const bool waits = (calls == Calls::mixed && yields.one_in(2)) || queue.closed();
    const auto begin = log.begin();
    const auto item = waits ? queue.pop() : queue.try_pop();
    log.end(begin, item ? Did::pop : (waits ? Did::closed : Did::empty), item.value_or(0));
    if (!item && waits) return;
    if (!item) yields.maybe(4);
  }
}

void expect_none(const std::vector<Finding>& findings) {
  EXPECT_TRUE(findings.empty()) << findings.size() << " errors, the first: " << findings.front();
}

template <class Subject>
void judge(const Shape& shape, bool exact) {
  for (const Calls calls : {Calls::tries, Calls::mixed}) {
    Subject queue(shape);
    History history(shape.producers + shape.consumers, kItems, kVain);
    std::vector<std::thread> consumers;
    std::vector<std::thread> producers;
    for (std::size_t i = 0; i < shape.consumers; ++i) {
      consumers.emplace_back([&, i] {
        Yields yields(shape.start + 100 + i);
        pop_all(queue, history.log(shape.producers + i), yields, calls);
      });
    }
    const std::size_t count = kItems / shape.producers;
    for (std::size_t i = 0; i < shape.producers; ++i) {
      producers.emplace_back([&, i] {
        Yields yields(shape.start + i);
        push_all(queue, history.log(i), yields, calls, value_of(i, 0), count);
      });
    }
    for (std::thread& producer : producers) producer.join();
    queue.close();
    for (std::thread& consumer : consumers) consumer.join();
    expect_none(queue_flaws(history.calls(), {.capacity = queue.capacity(), .exact = exact}));
  }
}

// The owner pushes bursts and pops about as many; thieves steal one or several.
class DequeRun {
 public:
  explicit DequeRun(const Shape& shape)
      : deque_(shape.capacity, shape.start), history_(1 + shape.consumers, 2 * kItems, kVain) {
    std::vector<std::thread> thieves;
    for (std::size_t i = 1; i <= shape.consumers; ++i) {
      thieves.emplace_back([&, i] { steal_all(history_.log(i), i); });
    }
    own(history_.log(0), shape.start);
    over_.store(true, base::memory_order_release);  // pairs with steal_all()'s acquire
    for (std::thread& thief : thieves) thief.join();
  }
  [[nodiscard]] std::vector<Finding> flaws() const { return deque_flaws(history_.calls()); }

 private:
  using Deque = WorkStealingDeque<Value>;

  void own(History::Log& log, std::uint64_t seed) {
    Yields yields(seed);
    for (Value value = 0; value < kItems;) {
      const Value burst = std::min<Value>(value + 1 + value % 7, kItems);
      for (; value < burst; ++value) {
        const auto begin = log.begin();
        deque_.push(value);
        log.end(begin, Did::push, value);
        yields.maybe(8);
      }
      for (int i = 0; i < 4; ++i) pop(log);
      yields.maybe(4);
    }
    while (pop(log)) {
    }
  }
  bool pop(History::Log& log) {
    const auto begin = log.begin();
    const auto item = deque_.pop();
    log.end(begin, item ? Did::pop : Did::empty, item.value_or(0));
    return item.has_value();
  }

  void steal_all(History::Log& log, std::size_t thief) {
    Yields yields(thief);
    Deque loot(1);
    while (!over_.load(base::memory_order_acquire)) {  // pairs with the constructor's release
      const auto begin = log.begin();
      StealStatus status{};
      Value value{};
      if (yields.one_in(4)) {
        const auto batch = deque_.steal_batch(loot, 4);
        status = batch.status;
        value = batch.value;
      } else {
        const auto stolen = deque_.steal();
        status = stolen.status;
        value = stolen.value;
      }
      const Did vain = status == StealStatus::empty ? Did::empty : Did::lost_race;
      log.end(begin, status == StealStatus::taken ? Did::steal : vain, value);
      while (const auto more = loot.pop()) log.end(begin, Did::steal, *more);
      yields.maybe(4);
    }
  }

  Deque deque_;
  History history_;
  base::atomic<bool> over_{false};
};

// ---- Tests

class RecordedSpscRing : public ::testing::TestWithParam<Shape> {};
TEST_P(RecordedSpscRing, Q3Q4Q8Q15IsFirstInFirstOutAndEmptyAndFullAreExact) {
  judge<RingSubject<SpscRing<Value>>>(GetParam(), true);
}
INSTANTIATE_TEST_SUITE_P(, RecordedSpscRing, ::testing::ValuesIn(shapes({1, 2, 3, 8}, {{1, 1}})),
                         name_of);

class RecordedMpmcRing : public ::testing::TestWithParam<Shape> {};
TEST_P(RecordedMpmcRing, Q2Q3Q4Q7Q8Q15IsFirstInFirstOutAndFailsOnlyDuringOlderCalls) {
  judge<RingSubject<MpmcRing<Value>>>(GetParam(), false);
}
INSTANTIATE_TEST_SUITE_P(, RecordedMpmcRing,
                         ::testing::ValuesIn(shapes({1, 2, 4, 8}, {{1, 1}, {2, 2}, {4, 4}})),
                         name_of);

class RecordedTwoLockQueue : public ::testing::TestWithParam<Shape> {};
TEST_P(RecordedTwoLockQueue, Q1Q4Q5Q6IsFirstInFirstOutAndEmptyIsExact) {
  judge<TwoLockSubject>(GetParam(), true);
}
INSTANTIATE_TEST_SUITE_P(, RecordedTwoLockQueue,
                         ::testing::Values(Shape{0, 0, 1, 1}, Shape{0, 0, 2, 2}, Shape{0, 0, 4, 4}),
                         name_of);

class RecordedMpscQueue : public ::testing::TestWithParam<Shape> {};
TEST_P(RecordedMpscQueue, Q1Q4IsFirstInFirstOutAndEmptyIsExact) {
  judge<MpscSubject>(GetParam(), true);
}
INSTANTIATE_TEST_SUITE_P(, RecordedMpscQueue,
                         ::testing::Values(Shape{0, 0, 1, 1}, Shape{0, 0, 2, 1}, Shape{0, 0, 4, 1}),
                         name_of);

class RecordedDeque : public ::testing::TestWithParam<Shape> {};
TEST_P(RecordedDeque, D1D2D3D8D9TakesEachItemOnceAndReportsTrueResults) {
  expect_none(DequeRun(GetParam()).flaws());
}
INSTANTIATE_TEST_SUITE_P(, RecordedDeque,
                         ::testing::ValuesIn(shapes({1, 2, 4, 8}, {{1, 1}, {1, 2}, {1, 4}})),
                         name_of);

}  // namespace
}  // namespace fathom::rt
