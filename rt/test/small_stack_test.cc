// Waits on threads whose stacks have 128 KiB, as musl gives them, while requests arrive from
// outside. In children, since the size is that of all threads of a process, and an overflow ends
// it.

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/task_group.h"
#include "forked.h"

namespace fathom::rt {
namespace {

constexpr std::size_t kSmallStack = 128 * 1024;
constexpr unsigned kRequests = 400;  // of some 900 bytes each

using Tally = base::atomic<unsigned>;

unsigned tally(const Tally& number) {
  return number.load(base::memory_order_relaxed);
}
void add_one(Tally& number) {
  number.fetch_add(1, base::memory_order_relaxed);
}

bool make_stacks_small() {
  pthread_attr_t attributes;
  return ::pthread_attr_init(&attributes) == 0 &&
         ::pthread_attr_setstacksize(&attributes, kSmallStack) == 0 &&
         ::pthread_setattr_default_np(&attributes) == 0;
}

// Whether the requests fit on two stacks. request(executor, here, there) calls here() on this
// thread and there() on another one, and waits for both. The next request arrives meanwhile, and
// there() gives this thread time to begin it: if waits did that, each request would lie on top of
// the one before.
template <class Request>
bool fit(const Request& request) {
  return testing::holds_in_child([&] {
    if (!make_stacks_small()) return false;
    Executor executor({.threads = 2});
    Tally begun{0};
    Tally taken{0};
    TaskGroup requests(executor);
    for (unsigned number = 1; number <= kRequests; ++number) {
      requests.run([&, number] {
        add_one(begun);
        const auto here = [&] {
          while (tally(taken) < number) std::this_thread::yield();
        };
        const auto there = [&] {
          add_one(taken);
          for (unsigned turn = 0; turn < 500 && tally(begun) <= number; ++turn) {
            std::this_thread::yield();
          }
        };
        request(executor, here, there);
      });
      while (tally(taken) < number) std::this_thread::yield();
    }
    requests.wait();
    return tally(begun) == kRequests;
  });
}

template <class Here, class There>
void fork_nested(Executor& executor, unsigned levels, const Here& here, const There& there) {
  if (levels == 0) return fork_join(executor, here, there);
  fork_join(
      executor, [&] { fork_nested(executor, levels - 1, here, there); }, [] {});
}

class SmallStack : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer itself needs more than such a stack";
#endif
  }
};

TEST_F(SmallStack, HoldsForksWhileRequestsArrive) {
  EXPECT_TRUE(fit([](Executor& executor, const auto& here, const auto& there) {
    fork_nested(executor, 20, here, there);
  }));
}

TEST_F(SmallStack, HoldsLoopsWhileRequestsArrive) {
  EXPECT_TRUE(fit([](Executor& executor, const auto& here, const auto& there) {
    parallel_for(executor, 0, 2, [&](int i) { i == 0 ? here() : there(); });
  }));
}

TEST_F(SmallStack, HoldsWaitsForGroupsWhileRequestsArrive) {
  EXPECT_TRUE(fit([](Executor& executor, const auto& here, const auto& there) {
    TaskGroup parts(executor);
    parts.run(there);
    here();
    parts.wait();
  }));
}

TEST_F(SmallStack, HoldsWaitsOfAllKindsWithinEachOther) {
  EXPECT_TRUE(fit([](Executor& executor, const auto& here, const auto& there) {
    TaskGroup parts(executor);
    parts.run([&] {
      parallel_for(executor, 0, 2, [&](int i) {
        if (i == 0) fork_nested(executor, 5, here, there);
      });
    });
    parts.wait();
  }));
}

}  // namespace
}  // namespace fathom::rt
