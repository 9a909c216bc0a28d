// Tests that a prefetch is only a hint.

#include "fathom/base/prefetch.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace fathom::base {
namespace {

TEST(Prefetch, ChangesNothing) {
  std::uint64_t word = 7;
  prefetch_to_write(&word);
  EXPECT_EQ(word, 7U);
}

TEST(Prefetch, PermitsAnyAddress) {
  prefetch_to_write(nullptr);
  prefetch_to_write(reinterpret_cast<const void*>(~std::uintptr_t{0}));
}

}  // namespace
}  // namespace fathom::base
