// Tests of killing a process at its steps.

#include "fathom/testing/killed.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fathom/base/error.h"
#include "fathom/testing/privileges.h"

namespace fathom::testing {
namespace {

TEST(Killed, BeforeAStepThatIsThere) {
  const auto three_steps = [](const BeforeStep& before) {
    for (const char* step : {"one", "two", "three"}) before(step);
  };
  EXPECT_TRUE(killed_at(0, three_steps));
  EXPECT_TRUE(killed_at(2, three_steps));
  EXPECT_FALSE(killed_at(3, three_steps));
}

// Otherwise a loop over all steps would end before the first.
TEST(Killed, AProcessThatCannotBeStartedIsAnError) {
  const auto without_processes = [] {
    const rlimit none{};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) throw base::Error("there is no limit");
    try {
      (void)killed_at(0, [](const BeforeStep&) {});
    } catch (const base::SystemError&) {
      return;
    }
    throw base::Error("a process was started, or its absence ignored");
  };
  EXPECT_EQ(as_nobody(without_processes), 0);
}

}  // namespace
}  // namespace fathom::testing
