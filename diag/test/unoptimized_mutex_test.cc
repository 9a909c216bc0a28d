// Tests of lock reports if the compiler does not inline: this file is compiled with -O0.

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <latch>
#include <mutex>
#include <string>
#include <thread>

#include "fathom/base/stack.h"
#include "fathom/base/symbols.h"
#include "fathom/diag/lock_report.h"
#include "fathom/diag/profiled_mutex.h"
#include "manual_clock.h"

namespace fathom::diag {
namespace {

using TestMutex = BasicProfiledMutex<ManualClock, 1, false>;

template <class Guard>
void hold_unoptimized(TestMutex& mutex, std::latch& held) {
  const Guard guard(mutex);
  held.count_down();
  while (mutex.waiting() == 0) std::this_thread::yield();
  ManualClock::pass(std::chrono::milliseconds(3));
}

void hold_without_guard(TestMutex& mutex, std::latch& held) {
  mutex.lock();
  held.count_down();
  while (mutex.waiting() == 0) std::this_thread::yield();
  ManualClock::pass(std::chrono::milliseconds(3));
  mutex.unlock();
}

// The report's sentence about one wait while the function held the mutex.
std::string sentence(const char* name, void (*hold)(TestMutex&, std::latch&)) {
  TestMutex mutex(name);
  std::latch held(1);
  std::thread holder([&] {
    ::pthread_setname_np(::pthread_self(), "culprit");
    hold(mutex, held);
  });
  held.wait();
  std::thread waiter([&] {
    mutex.lock();
    mutex.unlock();
  });
  holder.join();
  waiter.join();
  const std::string text = lock_report().text(100);
  const std::size_t at = text.find(std::string(name) + ": 100 %");
  return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
}

TEST(UnoptimizedMutex, TheHolderIsNamedInsteadOfTheProfiler) {
  const auto frames = base::frames_of(base::Stack::here());
  if (frames.empty() || frames.front().function.empty()) {
    GTEST_SKIP() << "this build does not have function names";
  }
  const std::string file = " at test/unoptimized_mutex_test.cc:";
  const auto expect_named = [&](const std::string& said, const std::string& function) {
    EXPECT_NE(said.find("of the wait was while culprit at "), std::string::npos) << said;
    EXPECT_NE(said.find(function), std::string::npos) << said;
    EXPECT_NE(said.find(file), std::string::npos) << said;
  };
  expect_named(sentence("plain", hold_without_guard), "hold_without_guard");
  expect_named(sentence("guard", hold_unoptimized<std::lock_guard<TestMutex>>), "hold_unoptimized");
}

}  // namespace
}  // namespace fathom::diag
