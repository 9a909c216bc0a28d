// Stack: unwinding, then copying the addresses to memory that copies share.

#include "fathom/base/stack.h"

#include <algorithm>
#include <exception>

#include "unwound.h"

namespace fathom::base {

__attribute__((noinline)) Stack Stack::here() noexcept {
  Unwound calls;
  calls.unwind(1);  // without this function
  Stack stack = of({calls.frames(), calls.count()});
  if (stack.count_ != 0) stack.left_out_ = static_cast<std::uint32_t>(calls.left_out());
  return stack;
}

Stack Stack::of(std::span<const std::uintptr_t> frames) noexcept {
  Stack stack;
  try {
    const auto copy = std::make_shared<std::uintptr_t[]>(frames.size());
    std::copy(frames.begin(), frames.end(), copy.get());
    stack.frames_ = copy;
  } catch (const std::exception&) {
    return stack;
  }
  stack.count_ = static_cast<std::uint32_t>(frames.size());
  return stack;
}

}  // namespace fathom::base
