// Stack: the calls that a thread was in, as addresses of its code.
//
// Taking one costs two microseconds and an eighth of one for each call, and one allocation:
// functions and lines are looked up when it is printed (symbols.h). Copying one never throws.
//
//   const Stack stack = Stack::here();
//   std::string text = error_text(stack);  // error_text.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fathom::base {

class Stack {
 public:
  // The innermost calls that are kept.
  static constexpr std::size_t kMaxFrames = 128;
  // Beyond this many, calls are not even counted.
  static constexpr std::size_t kMaxCounted = 1024;

  // No calls.
  Stack() noexcept = default;

  // Those of the calling thread, from this function's caller on. Without memory for it the stack is
  // empty. Needs neither frame pointers nor debug information.
  [[nodiscard]] static Stack here() noexcept;

  // Those that were found in another way; as frames() has them, at most kMaxFrames.
  [[nodiscard]] static Stack of(std::span<const std::uintptr_t> frames) noexcept;

  // Innermost first. Each is an address within the instruction that was being executed, which is
  // what addr2line wants: not the one that a call returns to.
  [[nodiscard]] std::span<const std::uintptr_t> frames() const noexcept {
    return {frames_.get(), count_};
  }

  // The outer calls that were not kept; kMaxCounted - kMaxFrames says that there may be more.
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

 private:
  std::shared_ptr<const std::uintptr_t[]> frames_;  // shared by the copies
  std::uint32_t count_ = 0;                         // of frames_
  std::uint32_t left_out_ = 0;
};

}  // namespace fathom::base
