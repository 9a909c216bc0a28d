// SignalText: text that a signal handler puts together and writes, without memory of its own.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fathom::base {

class SignalText {
 public:
  explicit SignalText(int descriptor) noexcept : descriptor_(descriptor) {}
  ~SignalText() { flush(); }
  SignalText(const SignalText&) = delete;
  SignalText& operator=(const SignalText&) = delete;

  SignalText& add(std::string_view text) noexcept;
  SignalText& add_decimal(std::uint64_t number) noexcept;
  SignalText& add_hex(std::uintptr_t number) noexcept;
  // As one word of a shell. Control characters become question marks.
  SignalText& add_path(const char* path) noexcept;

  // Writes what was added. What cannot be written is lost: there is no one to tell.
  void flush() noexcept;

 private:
  void add(char c) noexcept;

  const int descriptor_;
  char text_[1024];
  std::size_t size_ = 0;
};

}  // namespace fathom::base
