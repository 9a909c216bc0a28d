// Stack: the call stack of a thread, as code addresses.
//
// Taking one costs one allocation, two microseconds, and an eighth of a microsecond per frame:
// functions and lines are looked up only when it is printed (symbols.h). Copying one never throws.
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
  // The number of frames that are kept, innermost first.
  static constexpr std::size_t kMaxFrames = 128;
  // Frames beyond this number are not counted either.
  static constexpr std::size_t kMaxCounted = 1024;

  // An empty stack.
  Stack() noexcept = default;

  // The stack of the calling thread, beginning with the caller of this function. Empty if memory
  // runs out. Needs neither frame pointers nor debug information.
  [[nodiscard]] static Stack here() noexcept;

  // A stack of addresses from another source, in the format of frames(). Requires at most
  // kMaxFrames addresses.
  [[nodiscard]] static Stack of(std::span<const std::uintptr_t> frames) noexcept;

  // Innermost first. Each is an address within the call instruction, as addr2line expects, not the
  // return address.
  [[nodiscard]] std::span<const std::uintptr_t> frames() const noexcept {
    return {frames_.get(), count_};
  }

  // The number of outer frames that were not kept. kMaxCounted - kMaxFrames means: at least so
  // many.
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

 private:
  std::shared_ptr<const std::uintptr_t[]> frames_;  // shared by the copies
  std::uint32_t count_ = 0;                         // of frames_
  std::uint32_t left_out_ = 0;
};

}  // namespace fathom::base
