// JsonFields: reads the lines of plans and journals: one object each, with few keys and, except for
// a list of paths, without nested objects.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/source.h"

namespace fathom::act {

// A line that is not valid JSON.
class NotJson : public base::Error {
 public:
  using base::Error::Error;
};

// One parsed line. The reader takes each key once; if keys are left over, that is an error: unknown
// keys are not ignored.
//
// Throws base::Error ("line 3: ...") for anything unexpected, and NotJson for a line that is not
// JSON.
class JsonFields {
 public:
  // `what` names the text in messages: "line 3 of the journal: ..."; it may be empty.
  JsonFields(std::string_view line, std::uint64_t number, std::string_view what);

  [[nodiscard]] bool has(std::string_view key) const;
  std::uint64_t number(std::string_view key);
  std::int64_t signed_number(std::string_view key);
  std::string bytes(std::string_view key);
  std::vector<std::string> list(std::string_view key);
  void finish() const;

  [[nodiscard]] std::uint64_t line() const { return line_; }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  [[nodiscard]] std::string place() const;  // "line 3"
  [[noreturn]] void fail_syntax(const std::string& why) const;

  struct Value {
    enum class Type : std::uint8_t { number, negative, text, list } type = Type::text;
    std::uint64_t number = 0;
    std::int64_t signed_number = 0;
    std::string text;
    std::vector<std::string> list;
  };
  class Parser;

  Value take(std::string_view key);
  Value take(std::string_view key, Value::Type type, std::string_view should_be);
  std::string bytes_of(const std::string& shown, const std::optional<std::string>& base64) const;

  std::uint64_t line_;
  std::string_view what_;
  std::map<std::string, Value, std::less<>> values_;
};

// Calls line(text, number, ...) for each line, without its newline. A last line without a newline
// is passed as torn. Throws base::Error for a line that is longer than these, in bytes without its
// newline. The head, the first line, has all roots.
inline constexpr std::size_t kLongestHead = std::size_t{64} << 20;
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;
using TakeLine = std::function<void(std::string_view text, std::uint64_t number, bool torn)>;
void for_each_line(const fs::Source& source, const TakeLine& line);

}  // namespace fathom::act
