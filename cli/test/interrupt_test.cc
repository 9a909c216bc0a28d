// Tests of Interrupt: deferral, reset, and cancellation.

#include "run/interrupt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "fathom/base/fd.h"
#include "fathom/rt/signals_blocked.h"
#include "term/exit_code.h"

namespace fathom::cli {
namespace {

TEST(Interrupt, IsDeferredWhileSignalsAreBlocked) {
  Interrupt interrupt;
  interrupt.defer();
  {
    const rt::SignalsBlocked blocked;
    ::raise(SIGTERM);
    EXPECT_FALSE(interrupt.token().cancelled());
  }
  EXPECT_TRUE(interrupt.token().cancelled());
}

TEST(Interrupt, IsResetByTheNextInstance) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Interrupt interrupt;
    interrupt.defer();
    EXPECT_FALSE(interrupt.token().cancelled());
    ::raise(number);
    EXPECT_TRUE(interrupt.token().cancelled());
  }
}

TEST(Interrupt, CancelsLinkedSourcesOutsideTheSignalHandler) {
  Interrupt interrupt;
  interrupt.defer();
  const rt::CancelSource linked = rt::CancelSource::linked_to(interrupt.token());
  ::raise(SIGINT);
  EXPECT_FALSE(linked.cancelled());
  EXPECT_TRUE(linked.expire(base::monotonic_now()));
}

// The kernel delivers the smaller number first, and the other one without a pause.
void raise_together(int first, int second) {
  const rt::SignalsBlocked blocked;
  ::raise(first);
  ::raise(second);
}

TEST(Interrupt, EndsTheProcessBeforeTheWork) {
  const auto interrupted_early = [] {
    const Interrupt interrupt;
    ::raise(SIGTERM);
  };
  EXPECT_EXIT(interrupted_early(), ::testing::ExitedWithCode(kInterrupted), "");
}

TEST(Interrupt, EndsTheProcessIfNoWorkIsLeft) {
  const auto interrupted_late = [] {
    Interrupt interrupt;
    interrupt.defer();
    interrupt.end_at_once();
    ::raise(SIGINT);
  };
  EXPECT_EXIT(interrupted_late(), ::testing::ExitedWithCode(kInterrupted), "");
}

TEST(Interrupt, KnowsTheFirstSignal) {
  Interrupt interrupt;
  interrupt.defer();
  EXPECT_EQ(interrupt.signal(), 0);
  raise_together(SIGHUP, SIGTERM);  // an echo
  EXPECT_EQ(interrupt.signal(), SIGHUP);
}

TEST(Interrupt, KnowsASignalThatIsNoEchoOfSigint) {
  Interrupt interrupt;
  interrupt.defer();
  raise_together(SIGINT, SIGTERM);
  EXPECT_EQ(interrupt.signal(), SIGTERM);
  interrupt.forget_sigint();
  EXPECT_EQ(interrupt.signal(), SIGTERM);
  EXPECT_TRUE(interrupt.token().cancelled());
}

TEST(Interrupt, CanForgetSigint) {
  Interrupt interrupt;
  interrupt.defer();
  ::raise(SIGINT);
  interrupt.forget_sigint();
  EXPECT_EQ(interrupt.signal(), 0);
  EXPECT_FALSE(interrupt.token().cancelled());
  ::raise(SIGTERM);
  EXPECT_EQ(interrupt.signal(), SIGTERM);
  EXPECT_TRUE(interrupt.token().cancelled());
}

TEST(Interrupt, WaitsForInputOrASignal) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const base::Fd read(ends[0]);
  const base::Fd write(ends[1]);
  Interrupt interrupt;
  interrupt.defer();
  ASSERT_EQ(::write(write.get(), "x", 1), 1);
  EXPECT_TRUE(interrupt.wait_to_read(read.get()));
  char byte = 0;
  ASSERT_EQ(::read(read.get(), &byte, 1), 1);
  {
    const rt::SignalsBlocked blocked;
    ::raise(SIGINT);
  }
  EXPECT_FALSE(interrupt.wait_to_read(read.get()));
}

TEST(Interrupt, WaitsForAReaderOrASignal) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const base::Fd read(ends[0]);
  const base::Fd write(ends[1]);
  Interrupt interrupt;
  interrupt.defer();
  EXPECT_TRUE(interrupt.wait_to_write(write.get()));
  std::array<char, PIPE_BUF> bytes{};
  while (::write(write.get(), bytes.data(), bytes.size()) > 0) continue;
  {
    const rt::SignalsBlocked blocked;
    ::raise(SIGTERM);
  }
  EXPECT_FALSE(interrupt.wait_to_write(write.get()));
  ASSERT_GT(::read(read.get(), bytes.data(), bytes.size()), 0);
  EXPECT_TRUE(interrupt.wait_to_write(write.get())) << "the last words are written";
}

}  // namespace
}  // namespace fathom::cli
