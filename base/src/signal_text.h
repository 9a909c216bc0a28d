// SignalText: text that a signal handler composes and writes, without allocating.

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
  // Each character that printable() would escape becomes a question mark.
  SignalText& add_printable(std::string_view text) noexcept;
  // The same, quoted as one word of a shell command.
  SignalText& add_path(const char* path) noexcept;

  // Writes the text. What cannot be written is lost: a signal handler cannot report it.
  void flush() noexcept;

 private:
  void add(char c) noexcept;

  const int descriptor_;
  char text_[1024];
  std::size_t size_ = 0;
};

}  // namespace fathom::base
