// retry: which failures lead to another call.

#include "fathom/base/retry.h"

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cerrno>
#include <type_traits>

namespace fathom::base {
namespace {

// A call that is interrupted `interruptions` times and then returns `result`, with `error`.
struct InterruptedCall {
  int interruptions;
  ssize_t result;
  int error = 0;
  int calls = 0;

  ssize_t operator()() {
    const bool interrupted = ++calls <= interruptions;
    errno = interrupted ? EINTR : error;
    return interrupted ? -1 : result;
  }
};

TEST(Retry, RepeatsACallUntilNoSignalInterruptsIt) {
  for (const int interruptions : {0, 1, 5}) {
    InterruptedCall call{.interruptions = interruptions, .result = 7};
    EXPECT_EQ(retry([&] { return call(); }), 7);
    EXPECT_EQ(call.calls, interruptions + 1);
  }
}

TEST(Retry, ReturnsOtherFailures) {
  InterruptedCall call{.interruptions = 2, .result = -1, .error = ENOENT};
  EXPECT_EQ(retry([&] { return call(); }), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(call.calls, 3);
}

TEST(Retry, IgnoresErrnoOfASuccess) {
  InterruptedCall call{.interruptions = 0, .result = 0, .error = EINTR};
  EXPECT_EQ(retry([&] { return call(); }), 0);
  EXPECT_EQ(call.calls, 1);
}

TEST(Retry, ReturnsErrnoOnRequest) {
  InterruptedCall failing{.interruptions = 1, .result = -1, .error = EACCES};
  EXPECT_EQ(retry_errno([&] { return failing(); }), -EACCES);
  EXPECT_EQ(failing.calls, 2);
  InterruptedCall succeeding{.interruptions = 1, .result = 3, .error = EACCES};
  EXPECT_EQ(retry_errno([&] { return succeeding(); }), 3);
}

TEST(Retry, KeepsTheTypeOfTheResult) {
  InterruptedCall call{.interruptions = 0, .result = ssize_t{1} << 40};
  EXPECT_EQ(retry_errno([&] { return call(); }), ssize_t{1} << 40);
  static_assert(std::is_same_v<decltype(retry_errno([] { return 0; })), int>);
}

}  // namespace
}  // namespace fathom::base
