// Descriptors: the share of scans.

#include "descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

namespace fathom::web {
namespace {

// A deep tree is read slowly if few directories on the way to its end may be open.
TEST(Descriptors, AScanGetsMoreThanHalfOfThem) {
  rlimit given{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &given), 0);
  for (const rlim_t wanted : {rlim_t{256}, rlim_t{8192}, rlim_t{65'536}}) {
    const rlim_t limit = std::min(wanted, given.rlim_max);
    const rlimit changed{.rlim_cur = limit, .rlim_max = given.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &changed), 0);
    EXPECT_GT(Descriptors::plan().scan, limit / 2) << limit;
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &given), 0);
}

}  // namespace
}  // namespace fathom::web
