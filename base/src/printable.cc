// Printable: decoding UTF-8, and escaping whatever could mislead a terminal.

#include "printable.h"

#include <cstdint>

namespace fathom::base {

namespace {

// C0, DEL and C1; line and paragraph separators; bidirectional marks; zero-width characters.
bool is_control(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c ||
         (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

void append_escaped(std::string& result, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (byte == '\n') {
    result += "\\n";
  } else if (byte == '\t') {
    result += "\\t";
  } else if (byte == '\r') {
    result += "\\r";
  } else {
    result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xf]};
  }
}

}  // namespace

Character first_character(std::string_view text) noexcept {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, !is_control(lead)};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t point = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fu);
  }
  const bool too_long = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
  if (too_long || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return {};
  return {bytes, !is_control(point)};
}

std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  const bool cut = text.size() > most;
  std::string_view rest = text.substr(0, most);
  while (!rest.empty()) {
    const Character character = first_character(rest);
    const std::string_view bytes = rest.substr(0, character.bytes);
    if (character.plain) {
      result += bytes;
    } else if (!cut || rest.size() >= 4) {  // otherwise the cut has split a character
      for (const char byte : bytes) append_escaped(result, static_cast<unsigned char>(byte));
    }
    rest.remove_prefix(bytes.size());
  }
  return cut ? result + "..." : result;
}

}  // namespace fathom::base
