// TwoLockQueue in a program that profiles its locks: the same code, with profiled locks.

#include <gtest/gtest.h>

#include <latch>
#include <string_view>
#include <thread>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/diag/lock_report.h"
#include "fathom/rt/two_lock_queue.h"

namespace fathom::diag {
namespace {

LockUsage usage_of(std::string_view name) {
  for (LockUsage& lock : lock_report().locks) {
    if (lock.name == name) return std::move(lock);
  }
  return {};
}

TEST(ProfiledQueue, HasALockForEachEndWithAName) {
  const LockUsage head = usage_of("queue: head");
  const LockUsage tail = usage_of("queue: tail");
  {
    rt::TwoLockQueue<int> queue;
    for (int item = 0; item < 5; ++item) queue.push(item);
    while (queue.try_pop()) continue;
    EXPECT_EQ(usage_of("queue: tail").locks - tail.locks, 1U);
  }
  EXPECT_EQ(usage_of("queue: tail").acquisitions - tail.acquisitions, 5U);
  EXPECT_EQ(usage_of("queue: head").acquisitions - head.acquisitions, 6U) << "once in vain";
}

// Where the next move of an item stops.
struct Stop {
  base::atomic<bool> armed{false};
  std::latch reached{1};
  std::latch lifted{1};
};

class StoppingItem {
 public:
  explicit StoppingItem(Stop& stop) : stop_(&stop) {}
  StoppingItem(StoppingItem&& other) noexcept : stop_(other.stop_) {
    if (!stop_->armed.exchange(false, base::memory_order_relaxed)) return;
    stop_->reached.count_down();
    stop_->lifted.wait();
  }
  StoppingItem& operator=(StoppingItem&&) = delete;

 private:
  Stop* stop_;
};

TEST(ProfiledQueue, ShowsThatAWriterDoesNotWaitForAReader) {
  const LockUsage before = usage_of("queue: tail");
  Stop stop;
  rt::TwoLockQueue<StoppingItem> queue;
  queue.push(StoppingItem(stop));
  stop.armed.store(true, base::memory_order_relaxed);
  std::jthread reader([&] { EXPECT_TRUE(queue.try_pop()); });
  stop.reached.wait();  // it holds the head
  queue.push(StoppingItem(stop));
  stop.lifted.count_down();
  reader.join();
  const LockUsage after = usage_of("queue: tail");
  EXPECT_EQ(after.acquisitions - before.acquisitions, 2U);
  EXPECT_EQ(after.waits - before.waits, 0U);
}

}  // namespace
}  // namespace fathom::diag
