// Parameters: a strict parser of query strings.
//
// Decodes as the URL standard does for forms: & separates, + is a space, %XX is a byte. The caller
// reads each known parameter with its valid values. Unknown parameters, repeated parameters and
// null bytes are errors. The first error is kept as a sentence; a parameter with an error has its
// default.
//
//   Parameters given(query, {"path", "limit"});
//   const std::string path = given.bytes("path");
//   const std::uint64_t limit = given.integer("limit", 100, 1, 1000);
//   if (const auto& wrong = given.error()) return bad_request(*wrong);

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::web {

// The names of the parameters of a request, which are literals.
class ParameterNames {
 public:
  constexpr ParameterNames() = default;
  constexpr ParameterNames(std::initializer_list<std::string_view> names) : size_(names.size()) {
    std::copy(names.begin(), names.end(), names_.begin());
  }

  [[nodiscard]] constexpr std::span<const std::string_view> all() const {
    return {names_.data(), size_};
  }

 private:
  std::array<std::string_view, 8> names_{};
  std::size_t size_ = 0;
};

class Parameters {
 public:
  Parameters(std::string_view query, const ParameterNames& known);

  // Nothing if it is missing; empty for "path=" and for "path". Requires: the name is known.
  [[nodiscard]] std::optional<std::string> text(std::string_view name);
  // The same, but empty if it is missing.
  [[nodiscard]] std::string bytes(std::string_view name) { return text(name).value_or(""); }

  // Only decimal digits; from least to most.
  [[nodiscard]] std::uint64_t integer(std::string_view name, std::uint64_t otherwise,
                                      std::uint64_t least, std::uint64_t most);
  // Decimal, optionally with an exponent; from least to most.
  [[nodiscard]] double number(std::string_view name, double otherwise, double least, double most);

  // One of the words.
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

  // Reports that a value that was read as text is not valid. Keeps an earlier error.
  void set_error(std::string error);

  // The first error, if any. Call it after reading all parameters: it treats the others as unknown.
  [[nodiscard]] const std::optional<std::string>& error();

 private:
  void refuse_word(std::string_view name, std::string_view value,
                   std::span<const std::string_view> words);

  std::map<std::string, std::string, std::less<>> values_;  // not read yet
  const ParameterNames known_;
  std::optional<std::string> error_;    // the first
  std::optional<std::string> unknown_;  // the first given name that is not known
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
