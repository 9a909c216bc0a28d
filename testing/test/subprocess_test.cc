// Tests of running programs.

#include "fathom/testing/subprocess.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "fathom/base/error.h"

namespace fathom::testing {
namespace {

TEST(Run, CapturesStatusOutputAndErrors) {
  const RunResult result = run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(Run, PassesArgumentsUnchanged) {
  EXPECT_EQ(run({"printf", "%s|", "a b", "$HOME", "", "*", "\xff"}).out, "a b|$HOME||*|\xff|");
}

TEST(Run, ReadsMoreThanAPipeHoldsFromBothOutputs) {
  const RunResult result =
      run({"sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 2000000 /dev/zero"});
  EXPECT_EQ(result.out.size(), 2'000'000U);
  EXPECT_EQ(result.err.size(), 1'000'000U);
}

TEST(Run, ProvidesNoInput) {
  EXPECT_EQ(run({"cat"}).out, "");
}

TEST(Run, ReportsTheSignalThatEndedIt) {
  EXPECT_EQ(run({"sh", "-c", "kill -TERM $$"}).status, 128 + SIGTERM);
}

TEST(Run, OverridesEnvironmentVariables) {
  ::setenv("FATHOM_TEST_KEPT", "kept", 1);
  ::setenv("FATHOM_TEST_CHANGED", "before", 1);
  const RunResult result =
      run({"sh", "-c", "echo $FATHOM_TEST_KEPT $FATHOM_TEST_CHANGED"}, {"FATHOM_TEST_CHANGED=x"});
  EXPECT_EQ(result.out, "kept x\n");
}

TEST(Run, ThrowsWhenThereIsNoSuchProgram) {
  try {
    run({"/no/such/program"});
    FAIL() << "the program ran";
  } catch (const base::SystemError& error) {
    EXPECT_EQ(error.code(), ENOENT);
  }
  EXPECT_THROW(run({}), base::Error);
}

}  // namespace
}  // namespace fathom::testing
