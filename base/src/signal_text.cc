// SignalText: a fixed buffer and write().

#include "signal_text.h"

#include <unistd.h>

#include "fathom/base/retry.h"
#include "printable.h"

namespace fathom::base {

namespace {

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("/._-+").find(c) != std::string_view::npos;
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

SignalText& SignalText::add_printable(std::string_view text) noexcept {
  while (!text.empty()) {
    const Character first = first_character(text);
    add(first.plain ? text.substr(0, first.bytes) : "?");
    text.remove_prefix(first.bytes);
  }
  return *this;
}

SignalText& SignalText::add_path(const char* path) noexcept {
  std::string_view text = path;
  bool plain = !text.empty();
  for (const char c : text) plain = plain && is_plain(c);
  if (plain) return add(text);
  add('\'');
  for (std::size_t quote = 0; (quote = text.find('\'')) != text.npos;) {
    add_printable(text.substr(0, quote)).add("'\\''");
    text.remove_prefix(quote + 1);
  }
  return add_printable(text).add("'");
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
