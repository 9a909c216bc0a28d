// UTF-8 validation and base64.

#include "fathom/fs/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fathom::fs {

namespace {

// The length of the UTF-8 sequence at the beginning of the text; 0 if it is invalid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;
    if (lead == 0xed && byte(1) > 0x9f) return 0;
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0 && byte(1) < 0x90) return 0;
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// How many bytes at the beginning are ASCII, tested eight at a time: nearly all names are pure
// ASCII.
std::size_t ascii_prefix(std::string_view bytes) {
  std::size_t length = 0;
  std::uint64_t word = 0;
  while (bytes.size() - length >= sizeof word) {
    std::memcpy(&word, bytes.data() + length, sizeof word);
    if ((word & 0x8080808080808080) != 0) return length;
    length += sizeof word;
  }
  while (length < bytes.size() && static_cast<unsigned char>(bytes[length]) < 0x80) ++length;
  return length;
}

int base64_digit(char byte) {
  if (byte >= 'A' && byte <= 'Z') return byte - 'A';
  if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
  if (byte >= '0' && byte <= '9') return byte - '0' + 52;
  if (byte == '+') return 62;
  return byte == '/' ? 63 : -1;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  bytes.remove_prefix(ascii_prefix(bytes));
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    text += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string to_escaped_utf8(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    if (const std::size_t length = utf8_length(bytes); length != 0) {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    } else {
      const auto byte = static_cast<unsigned char>(bytes.front());
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
      bytes.remove_prefix(1);
    }
  }
  return text;
}

std::string to_base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned have = 0;
  for (const char byte : text.substr(0, text.find('='))) {
    const int digit = base64_digit(byte);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes += static_cast<char>(bits >> have & 0xff);
  }
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace fathom::fs
