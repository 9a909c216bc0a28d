#include "interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace fathom::cli {
namespace {

bool requested() {
  return Interrupt::requested().load(base::memory_order_relaxed);
}

TEST(SignalsBlocked, PutsASignalOff) {
  const Interrupt interrupt;
  {
    const SignalsBlocked blocked;
    ::raise(SIGTERM);
    EXPECT_FALSE(requested());
  }
  EXPECT_TRUE(requested());
}

}  // namespace
}  // namespace fathom::cli
