// Unwound: _Unwind_Backtrace() with a fixed buffer.

#include "unwound.h"

#include <unwind.h>

#include <algorithm>

namespace fathom::base {

namespace {

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* calls) {
  int before = 0;  // whether the address is that of an instruction not yet executed
  std::uintptr_t frame = _Unwind_GetIPInfo(context, &before);
  if (before == 0 && frame == 0) return _URC_END_OF_STACK;  // _start has no caller
  // A return address may belong to the next line, or even to the next function.
  if (before == 0) --frame;
  return static_cast<Unwound*>(calls)->add(frame) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

__attribute__((noinline)) void Unwound::unwind(std::size_t skip) noexcept {
  count_ = 0;
  left_out_ = 0;
  skip_ = skip + 1;  // plus this function
  _Unwind_Backtrace(on_frame, this);
}

void Unwound::drop(std::size_t innermost) noexcept {
  std::copy(frames_ + innermost, frames_ + count_, frames_);
  count_ -= innermost;
}

bool Unwound::add(std::uintptr_t frame) noexcept {
  if (skip_ > 0) {
    --skip_;
  } else if (count_ < Stack::kMaxFrames) {
    frames_[count_++] = frame;
  } else {
    ++left_out_;
  }
  return count_ + left_out_ < Stack::kMaxCounted;
}

}  // namespace fathom::base
