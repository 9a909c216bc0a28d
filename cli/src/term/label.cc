// Labels of messages.

#include "term/label.h"

#include <algorithm>
#include <cstddef>

#include "term/terminal.h"

namespace fathom::cli {

std::string escaped(std::string_view name) {
  return escaped(name, locale_is_utf8());
}

std::string shell_word(std::string_view name) {
  if (name.starts_with('-')) return shell_word("./" + std::string(name));
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  const auto is_plain = [&](char byte) {
    return static_cast<unsigned char>(byte) >= 0x80 || kPlain.find(byte) != std::string_view::npos;
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_plain)) return escaped(name);
  std::string word = "'";
  for (const char byte : name) {
    if (byte == '\'') word += "'\\'";  // ends the quotes before it and begins them again
    word += byte;
  }
  return safe(word += '\'');
}

std::string safe(std::string_view sentence) {
  return text::safe(sentence, locale_is_utf8());
}

std::string with_escaped(std::string sentence, std::string_view name) {
  const std::size_t at = name.empty() ? std::string::npos : sentence.find(name);
  if (at != std::string::npos) sentence.replace(at, name.size(), escaped(name));
  return sentence;
}

}  // namespace fathom::cli
