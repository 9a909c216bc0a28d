// Parameters: decoding, and checks of values.

#include "api/parameters.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "fathom/fs/utf8.h"

namespace fathom::web {

namespace {

// The value of a hexadecimal digit; 16 for another byte.
unsigned digit_of(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<unsigned>(byte - '0');
  if (byte >= 'a' && byte <= 'f') return static_cast<unsigned>(byte - 'a') + 10;
  if (byte >= 'A' && byte <= 'F') return static_cast<unsigned>(byte - 'A') + 10;
  return 16;
}

// Nothing if a % is not followed by two hexadecimal digits.
std::optional<std::string> decoded(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      bytes += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    const unsigned high = at + 2 < text.size() ? digit_of(text[at + 1]) : 16;
    const unsigned low = at + 2 < text.size() ? digit_of(text[at + 2]) : 16;
    if (high == 16 || low == 16) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
    at += 2;
  }
  return bytes;
}

// Quoted for a message, in UTF-8, and shortened: the input may be long.
std::string shown(std::string_view bytes) {
  constexpr std::size_t kMost = 80;
  if (bytes.size() <= kMost) return '"' + fs::to_utf8(bytes) + '"';
  return '"' + fs::to_utf8(bytes.substr(0, kMost)) + "...\"";
}

// "a", "a or b", "a, b or c".
std::string listed(std::span<const std::string_view> words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? std::string(last) : ", ";
    text += words[i];
  }
  return text;
}

std::string written(double number) {
  std::string text(32, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
}

// Parses the whole text; nothing if it is not a number.
template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

Parameters::Parameters(std::string_view query, const ParameterNames& known) : known_(known) {
  while (!query.empty() && !error_) {
    const std::string_view piece = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(piece.size() + 1, query.size()));
    if (piece.empty()) continue;
    const std::size_t name_size = std::min(piece.find('='), piece.size());
    const auto name = decoded(piece.substr(0, name_size));
    const auto value = decoded(piece.substr(std::min(name_size + 1, piece.size())));
    if (!name || !value) {
      set_error("a % in " + shown(piece) + " is not followed by two hexadecimal digits");
    } else if (name->find('\0') != std::string::npos || value->find('\0') != std::string::npos) {
      set_error(shown(piece) + " contains a null byte, which no name or path can contain");
    } else if (!values_.emplace(*name, *value).second) {
      set_error("the parameter " + shown(*name) + " is given twice");
    }
  }
  for (const auto& [name, value] : values_) {
    if (!unknown_ && std::ranges::count(known_.all(), name) == 0) unknown_ = name;
  }
}

std::optional<std::string> Parameters::text(std::string_view name) {
  assert(std::ranges::count(known_.all(), name) == 1);
  const auto given = values_.find(name);
  if (given == values_.end()) return std::nullopt;
  std::string value = std::move(given->second);
  values_.erase(given);
  return value;
}

std::uint64_t Parameters::integer(std::string_view name, std::uint64_t otherwise,
                                  std::uint64_t least, std::uint64_t most) {
  const auto given = text(name);
  if (!given) return otherwise;
  const auto number = parsed<std::uint64_t>(*given);
  if (number && *number >= least && *number <= most) return *number;
  set_error(std::string(name) + " is " + shown(*given) + ", but must be an integer from " +
            std::to_string(least) + " to " + std::to_string(most));
  return otherwise;
}

double Parameters::number(std::string_view name, double otherwise, double least, double most) {
  const auto given = text(name);
  if (!given) return otherwise;
  const auto number = parsed<double>(*given);
  if (number && *number >= least && *number <= most) return *number;  // false for NaN
  set_error(std::string(name) + " is " + shown(*given) + ", but must be a number from " +
            written(least) + " to " + written(most));
  return otherwise;
}

void Parameters::refuse_word(std::string_view name, std::string_view value,
                             std::span<const std::string_view> words) {
  set_error(std::string(name) + " is " + shown(value) + ", but must be " + listed(words, " or "));
}

void Parameters::set_error(std::string error) {
  if (!error_) error_ = std::move(error);
}

const std::optional<std::string>& Parameters::error() {
  if (!error_ && unknown_) {
    set_error("unknown parameter " + shown(*unknown_) + "; this path takes only " +
              listed(known_.all(), " and "));
  }
  return error_;
}

}  // namespace fathom::web
