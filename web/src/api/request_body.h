// RequestBody: a strict parser of the bodies of requests: one JSON object with known fields, whose
// values are texts, whole numbers, or lists of paths.
//
// A path is a string, or an object as in responses: "path", "path_b64" or both, of which the second
// one counts. Fields that are unknown or occur twice are errors. The first error is kept as a
// sentence. Memory is in proportion to the paths, whatever the text contains; nothing recurses.
//
//   RequestBody given(text, {"paths", "do"});
//   const std::vector<std::string> paths = given.paths("paths");
//   if (const auto& wrong = given.error()) return bad_request(*wrong);

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::web {

class RequestBody {
 public:
  static constexpr std::size_t kMostPaths = 10'000;

  RequestBody(std::string_view text, std::initializer_list<std::string_view> known);

  // Each requires that the name is known. A missing field is an error, except one of text() with an
  // otherwise.
  [[nodiscard]] std::vector<std::string> paths(std::string_view name);
  [[nodiscard]] std::string text(std::string_view name,
                                 const std::optional<std::string>& otherwise = std::nullopt);
  [[nodiscard]] std::uint64_t integer(std::string_view name);
  // A path of which the field name_b64, if there is one, has the bytes.
  [[nodiscard]] std::string bytes(std::string_view name);

  void set_error(std::string error);  // keeps an earlier one
  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }

 private:
  using Value = std::variant<std::string, std::uint64_t, std::vector<std::string>>;
  class Parser;

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
  template <class Type>
  Type take(std::string_view name, std::string_view should_be);

  std::map<std::string, Value, std::less<>> values_;
  std::optional<std::string> error_;  // the first
};

}  // namespace fathom::web
