// Freezes one thread in the middle of a call and tests what the others can still do, as each header
// promises. A thread freezes where it moves its item into or out of the structure, or where it
// allocates, or the test holds a lock like a frozen thread; only the model checker can freeze a
// thread between any two steps.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.h"
#include "fathom/base/atomic.h"
#include "fathom/rt/deque.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/mpsc_queue.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/spsc_ring.h"
#include "fathom/rt/two_lock_queue.h"
#include "queue_oracle.h"

namespace fathom::rt {

// The lock of an executor's queue of tasks from outside.
struct detail::LockOf {
  static std::mutex& outside(Executor& executor) { return executor.injected_.mutex_; }
};

namespace {

// Runs the function in another thread while the caller is frozen.
void in_another_thread(const std::function<void()>& function) {
  std::thread(function).join();
}

// An item whose n-th move freezes its thread: it runs what the others do meanwhile.
class Freezer {
 public:
  explicit Freezer(int number) : number_(number) {}
  Freezer(int number, int move, const std::function<void()>& meanwhile)
      : number_(number), moves_left_(move), meanwhile_(&meanwhile) {}
  Freezer(Freezer&& other) noexcept
      : number_(other.number_),
        moves_left_(other.moves_left_),
        meanwhile_(std::exchange(other.meanwhile_, nullptr)) {
    if (meanwhile_ != nullptr && --moves_left_ == 0) (*std::exchange(meanwhile_, nullptr))();
  }
  Freezer& operator=(Freezer&&) = delete;
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;
  ~Freezer() = default;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
  int moves_left_ = 0;
  const std::function<void()>* meanwhile_ = nullptr;
};

int number_of(const std::optional<Freezer>& item) {
  return item ? item->number() : 0;
}

// ---- SpscRing

TEST(FrozenSpscRing, TheConsumerGetsEverythingPushedBeforeAFrozenPush) {
  SpscRing<Freezer> ring(4);
  bool frozen = false;
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      EXPECT_EQ(number_of(ring.try_pop()), 1);
      EXPECT_EQ(number_of(ring.pop()), 2);
      EXPECT_FALSE(ring.try_pop());
      EXPECT_EQ(ring.size_hint(), 0U);
    });
    frozen = true;
  };
  EXPECT_TRUE(ring.try_push(Freezer(1)));
  EXPECT_TRUE(ring.try_push(Freezer(2)));
  EXPECT_TRUE(ring.try_push(Freezer(3, 1, meanwhile)));
  EXPECT_TRUE(frozen);
  EXPECT_EQ(number_of(ring.try_pop()), 3);
}

TEST(FrozenSpscRing, TheProducerFillsAllRoomExceptThatOfAFrozenPop) {
  SpscRing<Freezer> ring(3);
  bool frozen = false;
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      EXPECT_TRUE(ring.try_push(Freezer(2)));
      EXPECT_TRUE(ring.push(Freezer(3)));
      EXPECT_FALSE(ring.try_push(Freezer(4)));  // 1 is still in the ring
      EXPECT_EQ(ring.size_hint(), 3U);
    });
    frozen = true;
  };
  EXPECT_TRUE(ring.try_push(Freezer(1, 2, meanwhile)));
  EXPECT_EQ(number_of(ring.try_pop()), 1);
  EXPECT_TRUE(frozen);
  EXPECT_TRUE(ring.try_push(Freezer(4)));
  for (int i = 2; i <= 4; ++i) EXPECT_EQ(number_of(ring.try_pop()), i);
}

// ---- MpmcRing

// Q4: "empty" is allowed because the push of an older item is unfinished.
TEST(FrozenMpmcRing, Q4PushesContinueUntilTheyNeedTheSlotOfAFrozenPush) {
  MpmcRing<Freezer> ring(4);
  std::vector<std::thread> waiting;
  base::atomic<int> waited{0};
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      for (int i = 2; i <= 4; ++i) EXPECT_TRUE(ring.try_push(Freezer(i)));
      EXPECT_FALSE(ring.try_push(Freezer(5)));
      EXPECT_FALSE(ring.try_pop());  // 1 is older
      EXPECT_EQ(ring.try_pop_batch(4, [](Freezer&&) noexcept {}), 0U);
      EXPECT_EQ(ring.size_hint(), 4U);
    });
    waiting.emplace_back([&] { waited.store(number_of(ring.pop()), base::memory_order_relaxed); });
    linger(8);
    EXPECT_EQ(waited.load(base::memory_order_relaxed), 0);  // served in order: it waits for 1
  };
  EXPECT_TRUE(ring.try_push(Freezer(1, 1, meanwhile)));
  ASSERT_EQ(waiting.size(), 1U);
  waiting.front().join();
  EXPECT_EQ(waited.load(base::memory_order_relaxed), 1);
  EXPECT_TRUE(ring.try_push(Freezer(5)));
  for (int i = 2; i <= 5; ++i) EXPECT_EQ(number_of(ring.try_pop()), i);
}

// Q3: "full" is allowed because the pop of an older item is unfinished.
TEST(FrozenMpmcRing, Q3PopsContinueAndPushesUntilTheyNeedTheSlotOfAFrozenPop) {
  MpmcRing<Freezer> ring(4);
  std::vector<std::thread> waiting;
  base::atomic<bool> pushed{false};
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      EXPECT_EQ(number_of(ring.try_pop()), 2);
      EXPECT_TRUE(ring.try_push(Freezer(4)));
      EXPECT_FALSE(ring.try_push(Freezer(5)));  // needs the slot of 1, although there is room
      EXPECT_EQ(ring.size_hint(), 2U);
      EXPECT_EQ(number_of(ring.pop()), 3);
      EXPECT_EQ(number_of(ring.pop()), 4);
      EXPECT_FALSE(ring.try_pop());
    });
    waiting.emplace_back([&] {
      EXPECT_TRUE(ring.push(Freezer(5)));
      pushed.store(true, base::memory_order_relaxed);
    });
    linger(8);
    EXPECT_FALSE(pushed.load(base::memory_order_relaxed));
  };
  EXPECT_TRUE(ring.try_push(Freezer(1, 2, meanwhile)));
  EXPECT_TRUE(ring.try_push(Freezer(2)));
  EXPECT_TRUE(ring.try_push(Freezer(3)));
  EXPECT_EQ(number_of(ring.try_pop()), 1);
  ASSERT_EQ(waiting.size(), 1U);
  waiting.front().join();
  EXPECT_EQ(number_of(ring.pop()), 5);
}

// ---- Executor

// Freezes the first thread that wakes a worker, between the choice of the worker and the wake-up.
class FreezingWakeUp : public Observer {
 public:
  // Waits until so many workers sleep.
  void begin(unsigned asleep, const std::function<void()>& meanwhile) {
    while (asleep_.load(base::memory_order_acquire) != asleep) std::this_thread::yield();
    meanwhile_.store(&meanwhile, base::memory_order_release);
  }
  [[nodiscard]] bool ended() const { return meanwhile_.load() == nullptr; }

  Moment park_begins() const noexcept override {
    asleep_.fetch_add(1, base::memory_order_release);
    return 0;
  }
  void park_ends(Moment /*began*/) const noexcept override {
    asleep_.fetch_sub(1, base::memory_order_release);
  }
  void wakes() const noexcept override {
    const auto* const meanwhile = meanwhile_.exchange(nullptr, base::memory_order_acq_rel);
    if (meanwhile != nullptr) (*meanwhile)();
  }

 private:
  mutable base::atomic<unsigned> asleep_{0};
  mutable base::atomic<const std::function<void()>*> meanwhile_{nullptr};
};

// Starts all threads. Returns when the tasks for that need nothing of this function any more.
void start_threads(Executor& executor, unsigned threads) {
  base::atomic<unsigned> met{0};
  base::atomic<unsigned> left{0};
  const auto meet = [&]() noexcept {
    met.fetch_add(1, base::memory_order_relaxed);
    while (met.load(base::memory_order_relaxed) != threads) std::this_thread::yield();
    left.fetch_add(1, base::memory_order_release);
  };
  std::deque<FunctionTask<decltype(meet)>> tasks;
  for (unsigned i = 0; i < threads; ++i) executor.submit(&tasks.emplace_back(meet));
  while (left.load(base::memory_order_acquire) != threads) std::this_thread::yield();
}

// Submits a task while so many workers sleep, until the wake-up for it is frozen: a worker that was
// woken before may take it instead. Waits until the task has run.
void submit_frozen(Executor& executor, FreezingWakeUp& freezing, unsigned asleep,
                   const std::function<void()>& meanwhile) {
  base::atomic<bool> ran{false};
  auto task = make_task([&]() noexcept { ran.store(true, base::memory_order_release); });
  do {
    freezing.begin(asleep, meanwhile);
    ran.store(false, base::memory_order_relaxed);
    executor.submit(&task);
    while (!ran.load(base::memory_order_acquire)) std::this_thread::yield();
  } while (!freezing.ended());
}

TEST(FrozenExecutor, OtherThreadsSubmitTasksWhileASubmitIsFrozenInAWakeUp) {
  FreezingWakeUp freezing;
  Executor executor({.threads = 3, .observer = &freezing});
  start_threads(executor, 3);
  base::atomic<bool> ran{false};
  auto task = make_task([&]() noexcept { ran.store(true, base::memory_order_relaxed); });
  submit_frozen(executor, freezing, 3, [&] {
    in_another_thread([&] { executor.submit(&task); });
    while (!ran.load(base::memory_order_relaxed)) std::this_thread::yield();
  });
}

// The one worker that sleeps is being woken, and the other one is busy.
TEST(FrozenExecutor, ASubmitReturnsWhileAnotherOneIsFrozenInTheOnlyWakeUp) {
  base::atomic<bool> busy{false};
  base::atomic<bool> released{false};  // read until the executor has ended
  auto long_one = make_task([&]() noexcept {
    busy.store(true, base::memory_order_relaxed);
    while (!released.load(base::memory_order_relaxed)) std::this_thread::yield();
  });
  FreezingWakeUp freezing;
  Executor executor({.threads = 2, .observer = &freezing});
  start_threads(executor, 2);
  base::atomic<bool> ran{false};
  auto task = make_task([&]() noexcept { ran.store(true, base::memory_order_relaxed); });
  executor.submit(&long_one);
  while (!busy.load(base::memory_order_relaxed)) std::this_thread::yield();
  submit_frozen(executor, freezing, 1, [&] { in_another_thread([&] { executor.submit(&task); }); });
  while (!ran.load(base::memory_order_relaxed)) std::this_thread::yield();
  released.store(true, base::memory_order_relaxed);
}

// One worker sleeps while it waits for a fork, which the other one has taken.
TEST(FrozenExecutor, WorkersEndTheirWaitsWhileASubmitIsFrozenInAWakeUp) {
  FreezingWakeUp freezing;
  Executor executor({.threads = 3, .observer = &freezing});
  start_threads(executor, 3);
  base::atomic<bool> taken{false};
  base::atomic<bool> frozen{false};
  base::atomic<bool> joined{false};
  auto forking = make_task([&]() noexcept {
    fork_join(
        executor,
        [&] {
          while (!taken.load(base::memory_order_relaxed)) std::this_thread::yield();
        },
        [&] {
          taken.store(true, base::memory_order_relaxed);
          while (!frozen.load(base::memory_order_relaxed)) std::this_thread::yield();
        });
    joined.store(true, base::memory_order_relaxed);
  });
  executor.submit(&forking);
  while (!taken.load(base::memory_order_relaxed)) std::this_thread::yield();
  submit_frozen(executor, freezing, 2, [&] {
    frozen.store(true, base::memory_order_relaxed);
    while (!joined.load(base::memory_order_relaxed)) std::this_thread::yield();
  });
}

// Holds the lock of the tasks from outside until the condition holds.
template <class Condition>
void hold_until(Executor& executor, base::atomic<bool>& held, const Condition& condition) {
  const std::lock_guard lock(detail::LockOf::outside(executor));
  held.store(true, base::memory_order_relaxed);
  while (!condition()) std::this_thread::yield();
}

// Afterwards the tasks that have counted may be destroyed.
void await(const base::atomic<int>& count, int value) {
  while (count.load(base::memory_order_acquire) != value) std::this_thread::yield();
}

// A task from outside is queued, so the worker looks for it while the lock is held.
TEST(FrozenExecutor, AWorkerRunsItsOwnTasksWhileASubmitHoldsTheLock) {
  Executor executor({.threads = 1});
  constexpr int kTasks = 200;  // more than between two looks at the tasks from outside
  base::atomic<int> began{0};
  base::atomic<int> ran{0};
  base::atomic<bool> held{false};
  const auto count = [&]() noexcept { ran.fetch_add(1, base::memory_order_acq_rel); };
  std::deque<FunctionTask<decltype(count)>> tasks;
  for (int i = 0; i < kTasks; ++i) tasks.emplace_back(count);
  auto first = make_task([&]() noexcept {
    began.store(1, base::memory_order_relaxed);
    while (!held.load(base::memory_order_relaxed)) std::this_thread::yield();
    for (auto& task : tasks) executor.submit(&task);
  });
  auto from_outside = make_task(count);
  executor.submit(&first);
  await(began, 1);
  executor.submit(&from_outside);
  hold_until(executor, held, [&] { return ran.load(base::memory_order_relaxed) == kTasks; });
  await(ran, kTasks + 1);
}

TEST(FrozenExecutor, AWorkerStealsTasksWhileASubmitHoldsTheLock) {
  Executor executor({.threads = 2});
  base::atomic<int> began{0};
  base::atomic<int> ended{0};
  base::atomic<bool> held{false};
  base::atomic<bool> stolen{false};
  const auto begin_and_wait = [&] {
    began.fetch_add(1, base::memory_order_relaxed);
    while (!held.load(base::memory_order_relaxed)) std::this_thread::yield();
  };
  const auto end = [&]() noexcept { ended.fetch_add(1, base::memory_order_acq_rel); };
  auto part = make_task([&]() noexcept { stolen.store(true, base::memory_order_relaxed); });
  auto thief = make_task([&]() noexcept {
    begin_and_wait();
    end();
  });
  auto busy = make_task([&]() noexcept {
    executor.submit(&part);
    begin_and_wait();
    while (!stolen.load(base::memory_order_relaxed)) std::this_thread::yield();
    end();
  });
  auto from_outside = make_task(end);
  executor.submit(&thief);
  await(began, 1);
  executor.submit(&busy);
  await(began, 2);
  executor.submit(&from_outside);
  hold_until(executor, held, [&] { return stolen.load(base::memory_order_relaxed); });
  await(ended, 3);
}

// ---- TwoLockQueue

TEST(FrozenTwoLockQueue, AFrozenPopBlocksPopsButNotPushes) {
  TwoLockQueue<Freezer> queue;
  std::vector<std::thread> waiting;
  base::atomic<int> popped{0};
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      for (int i = 3; i <= 5; ++i) EXPECT_TRUE(queue.push(Freezer(i)));
      queue.close();
      EXPECT_FALSE(queue.push(Freezer(6)));
    });
    waiting.emplace_back([&] { popped.store(number_of(queue.pop()), base::memory_order_relaxed); });
    linger(8);
    EXPECT_EQ(popped.load(base::memory_order_relaxed), 0);
  };
  EXPECT_TRUE(queue.push(Freezer(1, 2, meanwhile)));  // moves on its way out
  EXPECT_TRUE(queue.push(Freezer(2)));
  EXPECT_EQ(number_of(queue.try_pop()), 1);
  ASSERT_EQ(waiting.size(), 1U);
  waiting.front().join();
  EXPECT_EQ(popped.load(base::memory_order_relaxed), 2);
  for (int i = 3; i <= 5; ++i) EXPECT_EQ(number_of(queue.pop()), i);
  EXPECT_FALSE(queue.pop());
}

// An item is moved, and its memory allocated, before the lock is taken: slow operations there do
// not block others.
TEST(FrozenTwoLockQueue, APushThatMovesOrAllocatesBlocksNobody) {
  TwoLockQueue<Freezer> queue;
  int frozen = 0;
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      EXPECT_FALSE(queue.try_pop());
      EXPECT_TRUE(queue.push(Freezer(++frozen)));
      EXPECT_EQ(number_of(queue.try_pop()), frozen);
    });
  };
  EXPECT_TRUE(queue.push(Freezer(3, 1, meanwhile)));
  EXPECT_EQ(number_of(queue.try_pop()), 3);
  {
    Freezer fourth(4);
    const Allocations::Hook hook(meanwhile);
    EXPECT_TRUE(queue.push(std::move(fourth)));
  }
  EXPECT_EQ(frozen, 2);
  EXPECT_EQ(number_of(queue.try_pop()), 4);
}

// ---- MpscQueue

// In the move, the frozen push has a slot, which the consumer skips; in the allocation it has none.
TEST(FrozenMpscQueue, AFrozenPushBlocksNobody) {
  MpscQueue<Freezer, 1> queue;
  int frozen = 0;
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      EXPECT_TRUE(queue.push(Freezer(++frozen)));  // the frozen push has not requested it yet
      EXPECT_EQ(number_of(queue.try_pop()), frozen);
      EXPECT_FALSE(queue.try_pop());
    });
  };
  EXPECT_TRUE(queue.push(Freezer(3, 1, meanwhile)));
  EXPECT_EQ(number_of(queue.try_pop()), 3);
  EXPECT_FALSE(queue.try_pop());
  {
    MpscQueue<Freezer, 1> other;
    const std::function<void()> pushing = [&] {
      in_another_thread([&] {
        EXPECT_TRUE(other.push(Freezer(5)));
        EXPECT_EQ(number_of(other.try_pop()), 5);
        EXPECT_FALSE(other.try_pop());
      });
    };
    Freezer fourth(4);
    const Allocations::Hook hook(pushing);
    EXPECT_TRUE(other.push(std::move(fourth)));
    EXPECT_EQ(number_of(other.try_pop()), 4);
  }
  EXPECT_EQ(frozen, 1);
}

// The consumer leaves the segment of the frozen push, which must remain until the push has left it.
TEST(FrozenMpscQueue, ASkippedPushMayLeaveItsSegmentAfterTheConsumer) {
  const std::size_t before = Allocations::alive();
  {
    MpscQueue<Freezer, 2> queue;
    const std::function<void()> meanwhile = [&] {
      in_another_thread([&] {
        for (int i = 1; i <= 9; ++i) {
          EXPECT_EQ(queue.push(Freezer(i)), i == 1);
          EXPECT_EQ(number_of(queue.try_pop()), i);
        }
        EXPECT_FALSE(queue.try_pop());
      });
    };
    EXPECT_TRUE(queue.push(Freezer(10, 1, meanwhile)));
    EXPECT_FALSE(queue.push(Freezer(11)));
    EXPECT_EQ(number_of(queue.try_pop()), 10);
    EXPECT_EQ(number_of(queue.try_pop()), 11);
    EXPECT_FALSE(queue.try_pop());
  }
  EXPECT_EQ(Allocations::alive(), before);
}

TEST(FrozenMpscQueue, AFrozenConsumerBlocksNoPush) {
  MpscQueue<Freezer, 2> queue;
  bool frozen = false;
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      for (int i = 2; i <= 4; ++i) EXPECT_FALSE(queue.push(Freezer(i)));
    });
    frozen = true;
  };
  EXPECT_TRUE(queue.push(Freezer(1, 2, meanwhile)));
  EXPECT_EQ(number_of(queue.try_pop()), 1);
  EXPECT_TRUE(frozen);
  for (int i = 2; i <= 4; ++i) EXPECT_EQ(number_of(queue.try_pop()), i);
}

// ---- WorkStealingDeque

// D1: the owner has decided to grow, and thieves take the items that it is about to copy.
TEST(FrozenDeque, D1ThievesTakeEachItemOnceWhileTheOwnerIsFrozenInAGrowth) {
  for (std::size_t stolen = 0; stolen <= 4; ++stolen) {
    for (const std::uint64_t start : {std::uint64_t{0}, ~std::uint64_t{0} - 1}) {
      WorkStealingDeque<std::size_t> deque(4, start);
      for (std::size_t i = 0; i < 4; ++i) deque.push(i);
      std::size_t taken = 0;
      const std::function<void()> meanwhile = [&] {
        in_another_thread([&] {
          for (; taken < stolen; ++taken) EXPECT_EQ(deque.steal().value, taken);
          EXPECT_EQ(deque.empty(), stolen == 4);
        });
      };
      {
        const Allocations::Hook hook(meanwhile);
        deque.push(4);
      }
      EXPECT_EQ(taken, stolen);
      EXPECT_EQ(deque.capacity(), 8U);
      EXPECT_EQ(deque.size_hint(), 5 - stolen);
      for (std::size_t i = 5; i > stolen; --i) EXPECT_EQ(deque.pop(), i - 1);
      EXPECT_EQ(deque.pop(), std::nullopt);
    }
  }
}

// The thief's deque has room for one item, so it grows before the thief takes another; the owner
// and another thief go on.
TEST(FrozenDeque, D2AThiefThatIsFrozenInAGrowthHoldsNoItem) {
  WorkStealingDeque<std::size_t> deque(8);
  WorkStealingDeque<std::size_t> thief(1);
  for (std::size_t i = 0; i < 8; ++i) deque.push(i);
  std::vector<std::size_t> seen;
  const std::function<void()> meanwhile = [&] {
    in_another_thread([&] {
      EXPECT_EQ(deque.size_hint(), 6U);  // 0 was returned, 1 was moved
      seen.push_back(deque.steal().value);
      while (const auto item = deque.pop()) seen.push_back(*item);
    });
  };
  StealBatch<std::size_t> batch;
  {
    const Allocations::Hook hook(meanwhile);
    batch = deque.steal_batch(thief, 8);
  }
  EXPECT_EQ(batch.value, 0U);
  EXPECT_EQ(batch.moved, 1U);
  EXPECT_EQ(thief.pop(), 1U);
  EXPECT_EQ(seen, (std::vector<std::size_t>{2, 7, 6, 5, 4, 3}));
}

}  // namespace
}  // namespace fathom::rt
