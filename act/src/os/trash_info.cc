// TrashInfo: the text, with the path as a URL has it (RFC 3986), and its file.

#include "os/trash_info.h"

#include <array>
#include <cctype>
#include <ctime>

namespace fathom::act {

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char byte : path) {
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x80 && (std::isalnum(value) != 0 ||
                         std::string_view("/-._~").find(byte) != std::string_view::npos)) {
      text += byte;
    } else {
      text += '%';
      text += kDigits[value >> 4];
      text += kDigits[value & 15];
    }
  }
  return text;
}

std::string trash_info_name(const std::string& name) {
  return name + ".trashinfo";
}

std::string trash_info_text(const std::string& path) {
  const std::time_t now = std::time(nullptr);
  struct tm local = {};
  ::localtime_r(&now, &local);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &local);
  return "[Trash Info]\nPath=" + percent_encoded(path) + "\nDeletionDate=" + date.data() + '\n';
}

}  // namespace fathom::act
