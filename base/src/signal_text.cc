// SignalText: a fixed buffer and write().

#include "signal_text.h"

#include <unistd.h>

#include "fathom/base/retry.h"

namespace fathom::base {

namespace {

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("/._-+").find(c) != std::string_view::npos;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

void SignalText::add(char c) noexcept {
  if (size_ == sizeof text_) flush();
  text_[size_++] = c;
}

SignalText& SignalText::add(std::string_view text) noexcept {
  for (const char c : text) add(c);
  return *this;
}

SignalText& SignalText::add_decimal(std::uint64_t number) noexcept {
  char digits[20];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) add(digits[--count]);
  return *this;
}

SignalText& SignalText::add_hex(std::uintptr_t number) noexcept {
  int shift = static_cast<int>(sizeof number) * 8 - 4;
  while (shift > 0 && number >> shift == 0) shift -= 4;
  add("0x");
  for (; shift >= 0; shift -= 4) add("0123456789abcdef"[(number >> shift) & 0xf]);
  return *this;
}

SignalText& SignalText::add_path(const char* path) noexcept {
  const std::string_view text = path;
  bool plain = !text.empty();
  for (const char c : text) plain = plain && is_plain(c);
  if (plain) return add(text);
  add('\'');
  for (const char c : text) {
    if (c == '\'') {
      add("'\\''");
    } else {
      add(is_control(c) ? '?' : c);
    }
  }
  add('\'');
  return *this;
}

void SignalText::flush() noexcept {
  const char* from = text_;
  while (size_ > 0) {
    const ssize_t written = retry([&] { return ::write(descriptor_, from, size_); });
    if (written <= 0) break;
    from += written;
    size_ -= static_cast<std::size_t>(written);
  }
  size_ = 0;
}

}  // namespace fathom::base
