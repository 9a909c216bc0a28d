// Tests of Interrupt: deferral, reset, and cancellation.

#include "interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "exit_code.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::cli {
namespace {

TEST(Interrupt, IsDeferredWhileSignalsAreBlocked) {
  const Interrupt interrupt;
  {
    const rt::SignalsBlocked blocked;
    ::raise(SIGTERM);
    EXPECT_FALSE(interrupt.token().cancelled());
  }
  EXPECT_TRUE(interrupt.token().cancelled());
}

TEST(Interrupt, IsResetByTheNextInstance) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Interrupt interrupt;
    EXPECT_FALSE(interrupt.token().cancelled());
    ::raise(number);
    EXPECT_TRUE(interrupt.token().cancelled());
  }
}

TEST(Interrupt, CancelsLinkedSourcesOutsideTheSignalHandler) {
  const Interrupt interrupt;
  const rt::CancelSource linked = rt::CancelSource::linked_to(interrupt.token());
  ::raise(SIGINT);
  EXPECT_FALSE(linked.cancelled());
  EXPECT_TRUE(linked.expire(base::monotonic_now()));
}

TEST(Interrupt, EndsTheProcessIfNoWorkIsLeft) {
  const auto interrupted_late = [] {
    Interrupt interrupt;
    interrupt.end_at_once();
    ::raise(SIGINT);
  };
  EXPECT_EXIT(interrupted_late(), ::testing::ExitedWithCode(kInterrupted), "");
}

}  // namespace
}  // namespace fathom::cli
