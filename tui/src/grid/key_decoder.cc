// KeyDecoder: control characters, UTF-8, and the sequences of ECMA-48, xterm, rxvt and the console,
// and the mouse as xterm reports it.

#include "grid/key_decoder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace fathom::tui {

namespace {

constexpr char kEscape = '\x1b';

struct Decoded {
  std::size_t bytes = 0;  // 0: the sequence is not complete
  Key key;
};

Key::Kind kind_of_letter(char letter) {
  switch (letter) {
    case 'A':
      return Key::Kind::up;
    case 'B':
      return Key::Kind::down;
    case 'C':
      return Key::Kind::right;
    case 'D':
      return Key::Kind::left;
    case 'H':
      return Key::Kind::home;
    case 'F':
      return Key::Kind::end;
    case 'M':
      return Key::Kind::enter;  // of the keypad
    default:
      return Key::Kind::none;
  }
}

// "5~" and the like; modifiers follow a semicolon and are ignored.
Key::Kind kind_of_number(std::string_view parameters) {
  const std::string_view number = parameters.substr(0, parameters.find(';'));
  if (number == "1" || number == "7") return Key::Kind::home;
  if (number == "4" || number == "8") return Key::Kind::end;
  if (number == "3") return Key::Kind::del;
  if (number == "5") return Key::Kind::page_up;
  if (number == "6") return Key::Kind::page_down;
  if (number == "200") return Key::Kind::paste_begin;
  if (number == "201") return Key::Kind::paste_end;
  return Key::Kind::none;
}

// "0;12;5" of ESC [ < 0 ; 12 ; 5 M (mode 1006): the button and the place, from 1.
Key key_of_mouse(std::string_view parameters) {
  std::array<unsigned, 3> numbers{};
  std::size_t count = 0;
  for (const char byte : parameters) {
    if (byte == ';' && ++count == numbers.size()) return {};
    if (byte == ';') continue;
    if (byte < '0' || byte > '9') return {};
    numbers[count] = std::min(numbers[count] * 10 + static_cast<unsigned>(byte - '0'), 65535U);
  }
  const auto [button, column, row] = numbers;
  if (count != 2 || column == 0 || row == 0) return {};
  constexpr unsigned kModifiers = 4 + 8 + 16;
  Key key;
  switch (button & ~kModifiers) {
    case 0:
      key.kind = Key::Kind::click;
      break;
    case 64:
      key.kind = Key::Kind::wheel_up;
      break;
    case 65:
      key.kind = Key::Kind::wheel_down;
      break;
    default:
      return {};
  }
  key.x = static_cast<std::uint16_t>(column - 1);
  key.y = static_cast<std::uint16_t>(row - 1);
  return key;
}

// ESC [ parameters, and a byte that ends it. A sequence that is too long is given up.
Decoded decode_control_sequence(std::string_view bytes) {
  constexpr std::size_t kMost = 32;
  for (std::size_t i = 2; i < bytes.size(); ++i) {
    const char byte = bytes[i];
    if (i == 2 && byte == '[') continue;  // function keys of the Linux console
    if (byte >= 0x20 && byte < 0x40) {
      if (i < kMost) continue;
      return {i, {}};
    }
    if (byte < 0x40 || byte == 0x7f) return {i, {}};  // broken off: the byte begins something else
    const std::string_view parameters = bytes.substr(2, i - 2);
    if (parameters.starts_with('<')) {
      return {i + 1, byte == 'M' ? key_of_mouse(parameters.substr(1)) : Key{}};
    }
    const Key::Kind kind = byte == '~'       ? kind_of_number(parameters)
                           : bytes[2] == '[' ? Key::Kind::none
                                             : kind_of_letter(byte);
    return {i + 1, {kind, ""}};
  }
  return {};
}

Decoded decode_escape(std::string_view bytes) {
  if (bytes.size() == 1) return {};
  if (bytes[1] == '[') return decode_control_sequence(bytes);
  if (bytes[1] == 'O') {
    if (bytes.size() == 2) return {};
    return {3, {kind_of_letter(bytes[2]), ""}};
  }
  return {1, {Key::Kind::escape, ""}};
}

Decoded decode_control(char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return {1, {Key::Kind::enter, ""}};
    case '\t':
      return {1, {Key::Kind::tab, ""}};
    case '\b':
    case '\x7f':
      return {1, {Key::Kind::backspace, ""}};
    default:
      break;
  }
  if (byte == 0 || byte > 26) return {1, {}};
  return {1, {Key::Kind::control, std::string(1, static_cast<char>('a' + byte - 1))}};
}

std::size_t length_of_utf8(unsigned char lead) {
  if (lead < 0xc2) return 1;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 1;
}

// A byte that is not UTF-8 is a key by itself: names may contain it.
Decoded decode_text(std::string_view bytes) {
  const std::size_t length = length_of_utf8(static_cast<unsigned char>(bytes[0]));
  for (std::size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {};
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0) != 0x80) {
      return {1, {Key::Kind::text, std::string(bytes.substr(0, 1))}};
    }
  }
  return {length, {Key::Kind::text, std::string(bytes.substr(0, length))}};
}

Decoded decode(std::string_view bytes) {
  if (bytes[0] == kEscape) return decode_escape(bytes);
  const auto byte = static_cast<unsigned char>(bytes[0]);
  return byte < 0x20 || byte == 0x7f ? decode_control(bytes[0]) : decode_text(bytes);
}

}  // namespace

std::vector<Key> KeyDecoder::feed(std::string_view bytes) {
  rest_ += bytes;
  std::vector<Key> keys;
  std::string_view left = rest_;
  while (!left.empty()) {
    const Decoded decoded = decode(left);
    if (decoded.bytes == 0) break;
    if (decoded.key.kind != Key::Kind::none) keys.push_back(decoded.key);
    left.remove_prefix(decoded.bytes);
  }
  rest_.erase(0, rest_.size() - left.size());
  return keys;
}

std::vector<Key> KeyDecoder::flush() {
  if (rest_.empty()) return {};
  const std::string rest = std::exchange(rest_, "");
  std::vector<Key> keys;
  // Alt and a key is Escape and the key.
  if (rest[0] == kEscape) keys.push_back({Key::Kind::escape, ""});
  if (rest[0] != kEscape) keys.push_back({Key::Kind::text, rest.substr(0, 1)});
  for (Key& key : feed(std::string_view(rest).substr(1))) keys.push_back(std::move(key));
  return keys;
}

}  // namespace fathom::tui
