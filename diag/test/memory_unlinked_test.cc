// A program that is not linked with fathom::diag_memory.

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "fathom/diag/break.h"
#include "fathom/diag/memory.h"

namespace fathom::diag {
namespace {

TEST(MemoryWithoutItsOperators, IsRefused) {
  EXPECT_FALSE(can_count_memory());
  EXPECT_THROW(count_memory(), std::logic_error);
  EXPECT_FALSE(counts_memory());
  EXPECT_THROW(static_cast<void>(mark_memory()), std::logic_error);
  EXPECT_TRUE(memory_report().tags.empty());
  EXPECT_EQ(tag_of(nullptr), nullptr);
  EXPECT_EQ(tag_of(std::make_unique<int>(1).get()), nullptr);
  EXPECT_THROW(static_cast<void>(break_when(MemoryLimit{.bytes = 1})), std::logic_error);
}

}  // namespace
}  // namespace fathom::diag
