// Tests of the atomics' acquire and release, and of fence().

#include "fathom/base/atomic.h"

#include <gtest/gtest.h>

#include <thread>

namespace fathom::base {
namespace {

TEST(Atomic, PublishesWhatWasWrittenBefore) {
  int value = 0;
  atomic<bool> ready{false};
  std::thread writer([&] {
    value = 42;
    ready.store(true, memory_order_release);  // pairs with the acquire below
  });
  while (!ready.load(memory_order_acquire)) cpu_relax();
  EXPECT_EQ(value, 42);
  writer.join();
}

TEST(Fence, PreventsBothThreadsFromMissingTheOthersStore) {
  for (int round = 0; round < 200; ++round) {
    atomic<int> x{0}, y{0};
    int saw_x = -1, saw_y = -1;
    std::thread other([&] {
      x.store(1, memory_order_relaxed);
      fence(memory_order_seq_cst);  // pairs with the fence below: one of the two comes first
      saw_y = y.load(memory_order_relaxed);
    });
    y.store(1, memory_order_relaxed);
    fence(memory_order_seq_cst);
    saw_x = x.load(memory_order_relaxed);
    other.join();
    ASSERT_TRUE(saw_x == 1 || saw_y == 1);
  }
}

}  // namespace
}  // namespace fathom::base
