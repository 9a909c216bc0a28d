// Workers: the threads that scan.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string_view>
#include <thread>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/base/crash_stack.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

// Counts the workers, and those with a signal stack that is large enough for crashes.
class Stacks : public rt::Observer {
 public:
  explicit Stacks(std::size_t expected) : expected_(expected) {}

  void thread_starts(std::string_view /*name*/, unsigned /*worker*/) const noexcept override {
    stack_t stack = {};
    ::sigaltstack(nullptr, &stack);
    workers.fetch_add(1, base::memory_order_relaxed);
    if (stack.ss_size == expected_) with_stack.fetch_add(1, base::memory_order_relaxed);
  }

  mutable base::atomic<unsigned> workers{0};
  mutable base::atomic<unsigned> with_stack{0};

 private:
  const std::size_t expected_;
};

// A full stack has no room for the handler that reports it.
TEST(Workers, HaveASignalStackIfACrashHandlerNeedsOne) {
  stack_t expected = {};
  std::thread([&expected] {
    const base::CrashStack stack;
    ::sigaltstack(nullptr, &expected);
  }).join();
  struct sigaction before = {};
  struct sigaction action = {};
  action.sa_handler = [](int) { ::_exit(1); };
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(::sigaction(SIGSEGV, &action, &before), 0);
  testing::TempTree tree;
  tree.file("dir/file", 1);
  for (const Way& way : ways_with({2})) {
    const Stacks stacks(expected.ss_size);
    ScanOptions options = options_for(way, {tree.path()});
    options.observer = &stacks;
    (void)scan(options);
    EXPECT_GT(stacks.workers.load(), 0u) << way;
    EXPECT_EQ(stacks.with_stack.load(), stacks.workers.load()) << way;
  }
  ASSERT_EQ(::sigaction(SIGSEGV, &before, nullptr), 0);
}

}  // namespace
}  // namespace fathom::fs
