// Parameters: a query string taken apart, strictly.
//
// What stands there is decoded as the URL standard decodes forms: & parts, + is a blank, %XX is a
// byte. Whoever asks names each parameter that there may be, with what it may be; what was not
// asked for must not be there, nor anything twice, nor a byte 0. The first thing that is wrong is
// kept as a sentence, and values are as if nothing had been given then.
//
//   Parameters given(query);
//   const std::string path = given.bytes("path");
//   const std::uint64_t limit = given.integer("limit", 100, 1, 1000);
//   if (const auto& wrong = given.error()) return bad_request(*wrong);

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::web {

class Parameters {
 public:
  explicit Parameters(std::string_view query);

  // Nothing if it was not given; empty if it was, as in "path=" and in "path".
  [[nodiscard]] std::optional<std::string> text(std::string_view name);
  // As above, and empty if it was not given.
  [[nodiscard]] std::string bytes(std::string_view name) { return text(name).value_or(""); }

  // Decimal digits, nothing else; from least to most.
  [[nodiscard]] std::uint64_t integer(std::string_view name, std::uint64_t otherwise,
                                      std::uint64_t least, std::uint64_t most);
  // Decimal, perhaps with an exponent; from least to most.
  [[nodiscard]] double number(std::string_view name, double otherwise, double least, double most);

  // One of some words.
  template <class Value>
  using Word = std::pair<std::string_view, Value>;
  template <class Value>
  [[nodiscard]] std::optional<Value> choice(std::string_view name,
                                            std::initializer_list<Word<Value>> words);
  template <class Value>
  [[nodiscard]] Value choice(std::string_view name, Value otherwise,
                             std::initializer_list<Word<Value>> words) {
    return choice<Value>(name, words).value_or(otherwise);
  }

  // Says that a value that was taken as text cannot be.
  void set_error(std::string error);

  // To be asked for at the end: what is wrong, and what is allowed.
  [[nodiscard]] const std::optional<std::string>& error();

 private:
  void refuse_word(std::string_view name, std::string_view value,
                   const std::vector<std::string_view>& words);

  std::map<std::string, std::string, std::less<>> values_;  // that were not asked for yet
  std::vector<std::string_view> names_;                     // that were asked for: literals
  std::optional<std::string> error_;                        // the first
};

template <class Value>
std::optional<Value> Parameters::choice(std::string_view name,
                                        std::initializer_list<Word<Value>> words) {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  std::vector<std::string_view> known;
  for (const auto& [word, value] : words) {
    if (word == *given) return value;
    known.push_back(word);
  }
  refuse_word(name, *given, known);
  return std::nullopt;
}

}  // namespace fathom::web
