// Tests of taking stacks, and of their symbols.

#include "fathom/base/stack.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "fathom/base/symbols.h"

namespace fathom::base {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<Stack>);
static_assert(std::is_nothrow_default_constructible_v<Stack>);

// Recursive, so that the compiler cannot inline the calls away.
__attribute__((noinline)) Stack at_depth(int depth) {
  Stack stack = depth == 0 ? Stack::here() : at_depth(depth - 1);
  asm volatile("" ::: "memory");
  return stack;
}

TEST(Stack, BeginsWithTheCaller) {
  const std::vector<Frame> frames = frames_of(at_depth(0));
  ASSERT_FALSE(frames.empty());
  EXPECT_NE(frames[0].function.find("at_depth"), std::string::npos) << frames[0].function;
  EXPECT_TRUE(frames[0].file.ends_with("stack_test.cc")) << frames[0].file;
  EXPECT_GT(frames[0].line, 0u);
}

TEST(Stack, HasAFrameForEachCall) {
  EXPECT_EQ(at_depth(7).frames().size(), at_depth(0).frames().size() + 7);
}

TEST(Stack, CountsTheFramesThatItDoesNotKeep) {
  const std::size_t around = at_depth(0).frames().size();
  const int depth = static_cast<int>(Stack::kMaxFrames) + 50;
  const Stack stack = at_depth(depth);
  EXPECT_EQ(stack.frames().size(), Stack::kMaxFrames);
  EXPECT_EQ(stack.frames().size() + stack.left_out(), around + static_cast<std::size_t>(depth));
}

TEST(Stack, StopsCountingAtALimit) {
  const Stack stack = at_depth(5000);
  EXPECT_EQ(stack.frames().size() + stack.left_out(), Stack::kMaxCounted);
}

TEST(Stack, IsEmptyByDefault) {
  EXPECT_TRUE(Stack().frames().empty());
  EXPECT_TRUE(frames_of(Stack()).empty());
}

TEST(Symbols, HaveTheModuleAndOffsetOfEachCall) {
  for (const Frame& frame : frames_of(Stack::here())) {
    EXPECT_FALSE(frame.module.empty()) << frame.function;
    EXPECT_GT(frame.offset, 0u);
  }
}

}  // namespace
}  // namespace fathom::base
