// The budget of a shard: what it allows, and that it never allows nothing.

#include "walk/budget.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fathom::fs {
namespace {

TEST(Budget, AllowsSoManyEntries) {
  Budget budget(2);
  EXPECT_FALSE(budget.spent());
  EXPECT_TRUE(budget.take());
  EXPECT_TRUE(budget.take());
  EXPECT_TRUE(budget.spent());
  EXPECT_FALSE(budget.take());
}

TEST(Budget, AllowsAtLeastOneEntry) {
  Budget budget(0);
  EXPECT_TRUE(budget.take());
  EXPECT_FALSE(budget.take());
}

TEST(Budget, EndsWithItsTimeButNotBeforeTheFirstEntry) {
  Budget budget(std::numeric_limits<std::uint64_t>::max());
  budget.end();
  EXPECT_TRUE(budget.take());
  EXPECT_TRUE(budget.take());
  budget.end();
  EXPECT_FALSE(budget.take());
}

}  // namespace
}  // namespace fathom::fs
