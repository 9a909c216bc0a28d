// FreeRange: collects freed indices and returns them together, in its destructor, to an IndexStack
// or TwoStacks.

#pragma once

#include <cstdint>

#include "fathom/base/atomic.h"
#include "index_stack.h"

namespace fathom::sched {

template <class Stack>
class FreeRange {
 public:
  FreeRange(Stack stack, IndexStack::Link* links) noexcept : stack_(stack), links_(links) {}
  FreeRange(const FreeRange&) = delete;
  FreeRange& operator=(const FreeRange&) = delete;
  ~FreeRange() {
    if (first_ != kNoIndex) stack_.push(first_, last_);
  }

  void add(std::uint32_t number) noexcept {
    if (first_ == kNoIndex) {
      last_ = number;
    } else {
      links_[number].store(first_, base::memory_order_relaxed);
    }
    first_ = number;
  }

 private:
  Stack stack_;
  IndexStack::Link* const links_;
  std::uint32_t first_ = kNoIndex;
  std::uint32_t last_ = kNoIndex;
};

}  // namespace fathom::sched
