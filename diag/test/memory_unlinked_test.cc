// A program that is not linked with fathom::diag_memory.

#include <gtest/gtest.h>

#include <stdexcept>

#include "fathom/diag/memory.h"

namespace fathom::diag {
namespace {

TEST(MemoryWithoutItsOperators, IsRefused) {
  EXPECT_FALSE(can_count_memory());
  EXPECT_THROW(count_memory(), std::logic_error);
  EXPECT_FALSE(counts_memory());
  EXPECT_THROW(static_cast<void>(mark_memory()), std::logic_error);
  EXPECT_TRUE(memory_report().tags.empty());
}

}  // namespace
}  // namespace fathom::diag
