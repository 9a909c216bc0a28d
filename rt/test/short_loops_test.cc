// Which loops are expected to be short.

#include "fathom/rt/detail/short_loops.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace fathom::rt::detail {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kLong = ShortLoops::kShort + nanoseconds(1);

void note_short_ones(ShortLoops& loops, std::size_t indices, unsigned times) {
  for (unsigned i = 0; i < times; ++i) loops.note(indices, ShortLoops::kShort);
}

TEST(ShortLoops, AreExpectedAfterSeveralInARow) {
  ShortLoops loops;
  note_short_ones(loops, 10, ShortLoops::kNeeded - 1);
  EXPECT_FALSE(loops.expects(10));
  note_short_ones(loops, 10, 1);
  EXPECT_TRUE(loops.expects(10));
  EXPECT_TRUE(loops.expects(2));
}

TEST(ShortLoops, AreNotExpectedOfMoreIndicesThanBefore) {
  ShortLoops loops;
  note_short_ones(loops, 10, ShortLoops::kNeeded);
  EXPECT_FALSE(loops.expects(11));
  note_short_ones(loops, 11, 1);
  EXPECT_TRUE(loops.expects(11));
}

TEST(ShortLoops, AreNotExpectedAfterALongOne) {
  ShortLoops loops;
  note_short_ones(loops, 10, ShortLoops::kNeeded);
  loops.note(10, kLong);
  EXPECT_FALSE(loops.expects(2));
  note_short_ones(loops, 10, ShortLoops::kNeeded - 1);
  EXPECT_FALSE(loops.expects(2));
}

TEST(ShortLoops, AreStillExpectedAfterALongOneOfMoreIndices) {
  ShortLoops loops;
  note_short_ones(loops, 10, ShortLoops::kNeeded);
  loops.note(1000, kLong);
  EXPECT_TRUE(loops.expects(10));
}

}  // namespace
}  // namespace fathom::rt::detail
