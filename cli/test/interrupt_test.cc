// Tests of Interrupt: deferral, reset, and cancellation.

#include "run/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

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

}  // namespace
}  // namespace fathom::cli
