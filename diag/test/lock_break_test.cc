// Tests of breaks on waits for a lock, and of how a program stops.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "counted_traps.h"
#include "ended_child.h"
#include "fathom/base/atomic.h"
#include "fathom/diag/break.h"
#include "fathom/diag/profiled_mutex.h"
#include "manual_clock.h"

namespace fathom::diag {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

constexpr nanoseconds kAtOnce{0};

// Lets another thread wait for the mutex until `over` says that this is long enough.
template <class Mutex, class Over>
void make_wait(Mutex& mutex, Over over) {
  std::unique_lock held(mutex);
  std::thread waiting([&] { const std::lock_guard lock(mutex); });
  while (mutex.waiting() == 0 || !over()) std::this_thread::yield();
  held.unlock();
  waiting.join();
}

template <class Mutex>
void make_wait_briefly(Mutex& mutex) {
  make_wait(mutex, [] { return true; });
}

class LockBreak : public ::testing::Test {
 protected:
  const CountedTraps traps_;
};

// Otherwise it would wait forever: the mutex is held until the break has fired.
TEST_F(LockBreak, FiresWhileTheThreadStillWaits) {
  ProfiledMutex mutex("break: during");
  const Break on_wait = break_when(WaitLimit{.lock = "break: during", .time = kAtOnce});
  make_wait(mutex, [&] { return CountedTraps::count() > 0; });
  EXPECT_EQ(CountedTraps::count(), 1);
  EXPECT_EQ(on_wait.times(), 1U);
}

TEST_F(LockBreak, FiresOnceUntilItIsArmedAgain) {
  ProfiledMutex mutex("break: again");
  Break on_wait = break_when(WaitLimit{.lock = "break: again", .time = kAtOnce});
  make_wait(mutex, [&] { return CountedTraps::count() == 1; });
  for (int i = 0; i < 20; ++i) make_wait_briefly(mutex);
  EXPECT_EQ(CountedTraps::count(), 1);
  on_wait.rearm();
  make_wait(mutex, [&] { return CountedTraps::count() == 2; });
  EXPECT_EQ(on_wait.times(), 2U);
}

TEST_F(LockBreak, FiresOnceIfManyThreadsWait) {
  ProfiledMutex mutex("break: many");
  const Break on_wait = break_when(WaitLimit{.lock = "break: many", .time = kAtOnce});
  std::unique_lock held(mutex);
  std::vector<std::thread> waiting;
  for (int i = 0; i < 8; ++i) waiting.emplace_back([&] { const std::lock_guard lock(mutex); });
  while (mutex.waiting() != 8 || CountedTraps::count() == 0) std::this_thread::yield();
  held.unlock();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(CountedTraps::count(), 1);
  EXPECT_EQ(on_wait.times(), 1U);
}

TEST_F(LockBreak, DoesNotFireForShorterWaits) {
  ProfiledMutex mutex("break: short");
  const Break on_wait = break_when(WaitLimit{.lock = "break: short", .time = hours(1)});
  for (int i = 0; i < 20; ++i) make_wait_briefly(mutex);
  EXPECT_EQ(CountedTraps::count(), 0);
  EXPECT_EQ(on_wait.times(), 0U);
}

// Whether the thread sleeps, according to the system.
bool sleeps(long thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.find(") S ") != std::string::npos;
}

// Lets a thread wait for so long by a clock that only passes here. The limit of an hour is set when
// the thread sleeps already.
void wait_by_manual_clock(const char* name, nanoseconds time) {
  BasicProfiledMutex<ManualClock, 1, false> mutex(name);
  std::unique_lock held(mutex);
  base::atomic<long> waiter{0};
  std::thread waiting([&] {
    waiter.store(::syscall(SYS_gettid), base::memory_order_relaxed);
    const std::lock_guard lock(mutex);
  });
  while (mutex.waiting() == 0 || !sleeps(waiter.load(base::memory_order_relaxed))) {
    std::this_thread::yield();
  }
  const Break on_wait = break_when(WaitLimit{.lock = name, .time = hours(1)});
  ManualClock::pass(time);
  EXPECT_EQ(CountedTraps::count(), 0);
  held.unlock();
  waiting.join();
}

TEST_F(LockBreak, FiresAtTheEndOfAWaitThatBeganBefore) {
  wait_by_manual_clock("break: end", hours(1) + nanoseconds(1));
  EXPECT_EQ(CountedTraps::count(), 1);
}

TEST_F(LockBreak, DoesNotFireForExactlyTheLimit) {
  wait_by_manual_clock("break: exact", hours(1));
  EXPECT_EQ(CountedTraps::count(), 0);
}

TEST_F(LockBreak, HoldsForLocksOfThatNameThatAreMadeLater) {
  const Break on_wait = break_when(WaitLimit{.lock = "break: later", .time = kAtOnce});
  ProfiledMutex other("break: other");
  make_wait_briefly(other);
  EXPECT_EQ(CountedTraps::count(), 0);
  ProfiledMutex mutex("break: later");
  make_wait(mutex, [&] { return CountedTraps::count() == 1; });
}

TEST_F(LockBreak, EndsWithItsObject) {
  ProfiledMutex mutex("break: ended");
  { const Break on_wait = break_when(WaitLimit{.lock = "break: ended", .time = kAtOnce}); }
  make_wait_briefly(mutex);
  EXPECT_EQ(CountedTraps::count(), 0);
  const Break again = break_when(WaitLimit{.lock = "break: ended", .time = kAtOnce});
  make_wait(mutex, [&] { return CountedTraps::count() == 1; });
  EXPECT_EQ(again.times(), 1U);
}

TEST_F(LockBreak, FiresOnceEvenIfTheThreadBlocksTheSignal) {
  ProfiledMutex mutex("break: blocked");
  const Break on_wait = break_when(WaitLimit{.lock = "break: blocked", .time = kAtOnce});
  std::unique_lock held(mutex);
  bool still_blocked = false;
  std::thread waiting([&] {
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &trap, nullptr);
    { const std::lock_guard lock(mutex); }
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    still_blocked = sigismember(&now, SIGTRAP) == 1;
  });
  while (CountedTraps::count() == 0) std::this_thread::yield();
  held.unlock();
  waiting.join();
  EXPECT_TRUE(still_blocked);
}

template <class Refused>
std::string refusal_of(WaitLimit limit) {
  try {
    const Break on_wait = break_when(limit);
  } catch (const Refused& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LockBreakRefusal, SaysWhatIsWrong) {
  EXPECT_EQ(refusal_of<std::invalid_argument>({.lock = "", .time = hours(1)}),
            "a break on a lock needs its name");
  EXPECT_EQ(refusal_of<std::invalid_argument>({.lock = "queue", .time = nanoseconds(-1)}),
            "a break on a lock needs a time of 0 or more");
  const Break first = break_when(WaitLimit{.lock = "break: twice", .time = hours(1)});
  EXPECT_EQ(refusal_of<std::logic_error>({.lock = "break: twice", .time = hours(2)}),
            "there is a break on lock 'break: twice' already");
}

// ---- Without a handler of the signal

void exceed_a_wait() {
  ProfiledMutex mutex("queue");
  const Break on_wait = break_when(WaitLimit{.lock = "queue", .time = kAtOnce});
  make_wait(mutex, [&] { return on_wait.times() > 0; });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BreakWithoutADebugger, EndsTheProgramWithAClearMessage) {
  const EndedChild child = ended_child(exceed_a_wait);
  EXPECT_EQ(child.signal, SIGTRAP);
  EXPECT_TRUE(child.err.starts_with("break: lock 'queue' was waited for ")) << child.err;
  EXPECT_TRUE(contains(child.err, " ns, more than 0 (thread ")) << child.err;
  EXPECT_TRUE(child.err.ends_with(
      ")\nbreak: no debugger is attached, so SIGTRAP usually ends the program\n"))
      << child.err;
}

// This test is the debugger of its child.
TEST(BreakInADebugger, StopsThereAndCanContinue) {
  constexpr int kRefused = 2;
  int stops = 0;
  const EndedChild child = ended_child(
      [] {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kRefused);
        BreakLimit::stop("lock 'queue' was waited for 2 ns, more than 1");
      },
      &stops);
  if (child.code == kRefused) GTEST_SKIP() << "this system does not let a program be traced";
  EXPECT_EQ(child.signal, 0);
  EXPECT_EQ(stops, 1);
  EXPECT_TRUE(child.err.starts_with("break: lock 'queue' was waited for")) << child.err;
  EXPECT_FALSE(contains(child.err, "no debugger")) << child.err;
}

}  // namespace
}  // namespace fathom::diag
