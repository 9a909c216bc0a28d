// Tests of the behaviour that all event loops share.

#include "fathom/rt/net/event_loop.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "forked.h"
#include "net/loops.h"

namespace fathom::rt {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

class EventLoopTest : public ::testing::TestWithParam<testing::LoopKind> {
 protected:
  void SetUp() override {
    loop_ = GetParam().make();
    if (loop_ == nullptr) GTEST_SKIP() << GetParam().why_not();
  }

  // Whether the next run() does what is posted, rather than return at once.
  bool runs_again() {
    bool ran = false;
    loop_->post([&] {
      ran = true;
      loop_->stop();
    });
    loop_->run();
    return ran;
  }

  std::unique_ptr<EventLoop> loop_;
};

TEST_P(EventLoopTest, RunsUntilItIsStopped) {
  loop_->post([&] { loop_->stop(); });
  loop_->run();
}

TEST_P(EventLoopTest, ReturnsImmediatelyIfItWasStoppedBefore) {
  loop_->stop();
  loop_->run();
  // Only once: the next run waits for another stop().
  EXPECT_TRUE(runs_again());
}

TEST_P(EventLoopTest, ATokenStopsIt) {
  const CancelSource source;
  loop_->post([&] { source.cancel(); });
  loop_->run(source.token());
  loop_->run(source.token());  // immediately
  EXPECT_EQ(loop_->timers(), 0U);
}

TEST_P(EventLoopTest, ATokenStopsItFromAnotherThread) {
  const CancelSource source;
  std::jthread other;
  loop_->post([&] { other = std::jthread([&] { source.cancel(); }); });
  loop_->run(source.token());
}

TEST_P(EventLoopTest, ATokenEndsNoLaterRunIfAJobThrowsMeanwhile) {
  const CancelSource source;
  loop_->post([&] {
    source.cancel();
    throw std::runtime_error("no");
  });
  EXPECT_THROW(loop_->run(source.token()), std::runtime_error);
  EXPECT_TRUE(runs_again());
}

TEST_P(EventLoopTest, ATokenThatIsCancelledWhenTheLoopStopsEndsNoLaterRun) {
  for (int i = 0; i < 1000; ++i) {
    const CancelSource source;
    std::jthread other;
    loop_->post([&] {
      other = std::jthread([&] { source.cancel(); });
      for (int pause = 0; pause < i; ++pause) base::cpu_relax();  // so that both meet somewhere
      loop_->stop();
    });
    loop_->run(source.token());
    other.join();
    ASSERT_TRUE(runs_again());
  }
}

// Nobody has to watch it.
TEST_P(EventLoopTest, TheDeadlineOfATokenStopsIt) {
  const CancelSource source = CancelSource::with_deadline(base::monotonic_now() + milliseconds(1));
  loop_->run(source.token());
  EXPECT_TRUE(source.cancelled());
  EXPECT_EQ(loop_->timers(), 0U);
}

TEST_P(EventLoopTest, RunsJobsOfEachThreadOnceAndInOrder) {
  constexpr int kThreads = 4;
  constexpr int kJobs = 5000;
  std::vector<int> next(kThreads, 0);
  int left = kThreads * kJobs;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kJobs; ++i) {
        loop_->post([&, t, i] {
          EXPECT_EQ(next[static_cast<std::size_t>(t)]++, i);
          if (--left == 0) loop_->stop();
        });
      }
    });
  }
  loop_->run();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(loop_->stats().jobs, static_cast<std::uint64_t>(kThreads * kJobs));
  EXPECT_LE(loop_->stats().wakes, loop_->stats().jobs + 1);
}

// If a wake-up were lost between the last check and the wait, both threads would wait forever.
TEST_P(EventLoopTest, R12IsWokenByAPostAtAnyTime) {
  constexpr int kTurns = 20'000;
  base::atomic<int> answered{0};
  std::jthread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      loop_->post([&, i] {
        answered.store(i + 1, base::memory_order_release);
        answered.notify_one();
      });
      answered.wait(i, base::memory_order_acquire);
    }
    loop_->stop();
  });
  loop_->run();
  EXPECT_EQ(answered.load(), kTurns);
}

// A turn runs at most 256 jobs. If it has run so many, it has not seen that none are left.
TEST_P(EventLoopTest, R12IsWokenByAPostAfterATurnThatRanAsManyJobsAsItMay) {
  constexpr int kTurns = 500;
  base::atomic<int> answered{0};
  std::jthread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      loop_->post([&, i] {
        for (int job = 2; job < 256; ++job) loop_->post([] {});
        loop_->post([&, i] {
          answered.store(i + 1, base::memory_order_release);
          answered.notify_one();
        });
      });
      answered.wait(i, base::memory_order_acquire);
    }
    loop_->stop();
  });
  loop_->run();
  EXPECT_EQ(loop_->stats().jobs, 256U * kTurns);
}

TEST_P(EventLoopTest, IsStoppedByAnotherThreadWhileItWaits) {
  for (int i = 0; i < 1000; ++i) {
    std::jthread other([&] { loop_->stop(); });
    loop_->run();
  }
}

TEST_P(EventLoopTest, JobsThatPostEachOtherDoNotStarveTimers) {
  std::function<void()> again = [&] { loop_->post(again); };
  again();
  loop_->after(milliseconds(1), [&] { loop_->stop(); });
  loop_->run();
}

TEST_P(EventLoopTest, TimersThatAreDueImmediatelyDoNotStarveJobs) {
  std::function<void()> again = [&] { loop_->after(nanoseconds(0), again); };
  again();
  loop_->post([&] { loop_->stop(); });
  loop_->run();
}

TEST_P(EventLoopTest, TimersAreNotEarly) {
  for (const nanoseconds wait : {nanoseconds(1), nanoseconds(700'000), nanoseconds(3'000'001)}) {
    const EventLoop::Time begin = base::monotonic_now();
    loop_->after(wait, [&] { loop_->stop(); });
    loop_->run();
    EXPECT_GE(base::monotonic_now() - begin, wait);
  }
}

// A timeout that is rounded down to zero would make the loop spin.
TEST_P(EventLoopTest, SleepsUntilATimerIsDue) {
  loop_->after(milliseconds(20), [&] { loop_->stop(); });
  loop_->run();
  EXPECT_LE(loop_->stats().waits, 10U);
}

TEST_P(EventLoopTest, ATurnWithoutWaitingDoesNotWait) {
  EXPECT_FALSE(loop_->run_once(EventLoop::Wait::no));
  loop_->post([] {});
  EXPECT_TRUE(loop_->run_once(EventLoop::Wait::no));
}

TEST_P(EventLoopTest, AnExceptionOfAJobLeavesRunAndTheOthersContinue) {
  std::string calls;
  loop_->post([] { throw std::runtime_error("no"); });
  loop_->post([&] {
    calls += 'b';
    loop_->stop();
  });
  EXPECT_THROW(loop_->run(), std::runtime_error);
  loop_->run();
  EXPECT_EQ(calls, "b");
}

TEST_P(EventLoopTest, AnExceptionOfATimerLeavesRunAndTheOthersContinue) {
  std::string calls;
  loop_->after(nanoseconds(0), [] { throw std::runtime_error("no"); });
  loop_->after(nanoseconds(0), [&] {
    calls += 'b';
    loop_->stop();
  });
  EXPECT_THROW(loop_->run(), std::runtime_error);
  loop_->run();
  EXPECT_EQ(calls, "b");
}

// A job posted from within a turn wakes nobody, because the turn reaches the jobs anyway; after a
// throw it does not.
TEST_P(EventLoopTest, JobsPostedBeforeAndAfterAThrowRun) {
  int jobs = 0;
  loop_->after(nanoseconds(0), [&] {
    loop_->post([&] { ++jobs; });
    throw std::runtime_error("no");
  });
  EXPECT_THROW(loop_->run(), std::runtime_error);
  std::jthread other([&] {
    loop_->post([&] {
      ++jobs;
      loop_->stop();
    });
  });
  loop_->run();
  EXPECT_EQ(jobs, 2);
}

TEST_P(EventLoopTest, RefusesToRunWithinItsOwnTurn) {
  loop_->post([&] {
    EXPECT_THROW(loop_->run_once(EventLoop::Wait::no), std::logic_error);
    EXPECT_THROW(loop_->run(), std::logic_error);
    loop_->stop();
  });
  loop_->run();
}

TEST_P(EventLoopTest, RefusesToRunWithinItsOwnTurnByWayOfAnotherLoop) {
  const std::unique_ptr<EventLoop> other = GetParam().make();
  loop_->post([&] { other->run(); });
  other->post([&] {
    EXPECT_THROW(loop_->run_once(EventLoop::Wait::no), std::logic_error);
    other->stop();
  });
  EXPECT_TRUE(loop_->run_once(EventLoop::Wait::no));
}

TEST_P(EventLoopTest, TimersOutsideTheRangeOfTimeAreNeverOrImmediatelyDue) {
  const auto fail = [] { ADD_FAILURE() << "it is not the end of time"; };
  loop_->after(EventLoop::Duration::max(), fail);
  loop_->after(std::chrono::hours(24 * 365 * 300), fail);
  loop_->after(std::chrono::hours::max(), fail);
  loop_->at(EventLoop::Time::min(), [&] { loop_->stop(); });
  loop_->run();
}

// Like a session that jobs and timers own, and that notifies others when it ends.
struct UsesItsLoop {
  explicit UsesItsLoop(EventLoop& loop_in) : loop(loop_in) {}
  UsesItsLoop(const UsesItsLoop&) = delete;
  UsesItsLoop& operator=(const UsesItsLoop&) = delete;
  ~UsesItsLoop() {
    loop.post([] { ADD_FAILURE() << "called"; });
    loop.cancel(loop.after(milliseconds(1), [] {}));
    loop.after(milliseconds(1), [] { ADD_FAILURE() << "called"; });
  }
  EventLoop& loop;
};

TEST_P(EventLoopTest, RemainingJobsMayUseTheLoopDuringItsDestruction) {
  loop_->post([owned = std::make_shared<UsesItsLoop>(*loop_)] { ADD_FAILURE() << "called"; });
  loop_->after(milliseconds(1), [owned = std::make_shared<UsesItsLoop>(*loop_)] { ADD_FAILURE(); });
  loop_.reset();
}

TEST_P(EventLoopTest, RemainingJobsAreDestroyedWithoutACall) {
  const auto owned = std::make_shared<int>(0);
  loop_->post([owned] { ADD_FAILURE() << "called"; });
  EXPECT_EQ(owned.use_count(), 2);
  loop_.reset();
  EXPECT_EQ(owned.use_count(), 1);
}

base::atomic<EventLoop*> to_stop{nullptr};

TEST_P(EventLoopTest, IsStoppedByASignalHandlerThatInterruptsItsWait) {
  to_stop = loop_.get();
  struct sigaction before = {};
  struct sigaction action = {};
  action.sa_handler = [](int) { to_stop.load()->stop(); };
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const pthread_t self = ::pthread_self();
  std::jthread other([self] { ::pthread_kill(self, SIGALRM); });
  loop_->run();
  other.join();
  ::sigaction(SIGALRM, &before, nullptr);
}

struct Seen final : LoopObserver {
  void wait_begins() noexcept override { text += 'w'; }
  void wait_ends(std::size_t /*events*/) noexcept override { text += 'e'; }
  void turn_ends() noexcept override { text += 't'; }
  std::string text;
};

TEST_P(EventLoopTest, NotifiesAnObserver) {
  Seen seen;
  loop_->observe(&seen);
  loop_->run_once(EventLoop::Wait::no);
  loop_->observe(nullptr);
  loop_->run_once(EventLoop::Wait::no);
  EXPECT_EQ(seen.text, "wet");
}

TEST_P(EventLoopTest, JobsAndTimersMayOwnWhatCannotBeCopied) {
  int sum = 0;
  loop_->post([&, owned = std::make_unique<int>(1)] { sum += *owned; });
  loop_->after(nanoseconds(0), [&, owned = std::make_unique<int>(2)] {
    sum += *owned;
    loop_->stop();
  });
  loop_->run();
  EXPECT_EQ(sum, 3);
}

// ---- Signals

TEST_P(EventLoopTest, CallsForSignals) {
  std::string told;
  loop_->on_signals({SIGUSR1, SIGUSR2}, [&](int number) {
    told += number == SIGUSR1 ? '1' : '2';
    if (told.size() == 2) loop_->stop();
  });
  ::pthread_kill(::pthread_self(), SIGUSR1);
  ::pthread_kill(::pthread_self(), SIGUSR2);
  loop_->run();
  EXPECT_EQ(told, "12");
  EXPECT_THROW(loop_->on_signals({SIGUSR1}, [](int) {}), std::logic_error);
}

TEST_P(EventLoopTest, CallsForASignalThatComesWhileItWaits) {
  int calls = 0;
  loop_->on_signals({SIGUSR1}, [&](int) {
    if (++calls == 3) return loop_->stop();
    ::pthread_kill(::pthread_self(), SIGUSR1);
  });
  loop_->after(milliseconds(1), [] { ::pthread_kill(::pthread_self(), SIGUSR1); });
  loop_->run();
  EXPECT_EQ(calls, 3);
}

TEST_P(EventLoopTest, AnExceptionOfOneSignalDoesNotLoseTheOthers) {
  int calls = 0;
  loop_->on_signals({SIGUSR1, SIGUSR2}, [&](int) {
    if (++calls == 1) throw std::runtime_error("no");
    loop_->stop();
  });
  ::pthread_kill(::pthread_self(), SIGUSR1);
  ::pthread_kill(::pthread_self(), SIGUSR2);
  EXPECT_THROW(loop_->run(), std::runtime_error);
  loop_->run();
  EXPECT_EQ(calls, 2);
}

// Whether the signal is blocked for this thread.
bool is_blocked(int number) {
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return ::sigismember(&blocked, number) == 1;
}

TEST_P(EventLoopTest, UnblocksItsSignalsWhenItIsDestroyed) {
  loop_->on_signals({SIGUSR1}, [](int) {});
  EXPECT_TRUE(is_blocked(SIGUSR1));
  loop_.reset();
  EXPECT_FALSE(is_blocked(SIGUSR1));
}

TEST_P(EventLoopTest, LeavesSignalsBlockedThatOthersHaveBlocked) {
  sigset_t others;
  ::sigemptyset(&others);
  ::sigaddset(&others, SIGWINCH);
  ::pthread_sigmask(SIG_BLOCK, &others, nullptr);
  loop_->on_signals({SIGUSR1, SIGWINCH}, [](int) {});
  const std::unique_ptr<EventLoop> later = GetParam().make();
  later->on_signals({SIGUSR2}, [](int) {});
  loop_.reset();
  EXPECT_FALSE(is_blocked(SIGUSR1));
  EXPECT_TRUE(is_blocked(SIGUSR2));
  EXPECT_TRUE(is_blocked(SIGWINCH));
  ::pthread_sigmask(SIG_UNBLOCK, &others, nullptr);
}

TEST_P(EventLoopTest, RefusesSignalsThatCannotBeReceived) {
  for (const int number : {0, -3, 9999, SIGKILL, SIGSTOP}) {
    try {
      loop_->on_signals({SIGUSR1, number}, [](int) {});
      ADD_FAILURE() << number;
    } catch (const base::SystemError& error) {
      EXPECT_EQ(error.code(), EINVAL);
    } catch (const std::logic_error&) {
      ADD_FAILURE() << "one before " << number << " was accepted";
    }
    EXPECT_FALSE(is_blocked(SIGUSR1));
  }
}

// ---- fork()

TEST_P(EventLoopTest, ACopyInAChildDoesNotRunAndLeavesTheParentAsleep) {
  bool ran = false;
  loop_->run_once(EventLoop::Wait::no);
  EXPECT_TRUE(testing::holds_in_child([&] {
    loop_->post([&] { ran = true; });
    loop_->stop();
    return testing::is_refused([&] { loop_->run_once(EventLoop::Wait::no); }) && !ran &&
           testing::is_refused([&] { loop_->on_signals({SIGUSR1}, [](int) {}); }) &&
           !is_blocked(SIGUSR1);
  }));
  const EventLoop::Stats before = loop_->stats();
  EXPECT_FALSE(loop_->run_once(EventLoop::Wait::no));
  EXPECT_EQ(loop_->stats().events, before.events);
}

INSTANTIATE_TEST_SUITE_P(Net, EventLoopTest, ::testing::ValuesIn(testing::loop_kinds()),
                         testing::name_of_loop);

}  // namespace
}  // namespace fathom::rt
