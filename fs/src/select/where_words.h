// WhereWords: the words of an expression: names, values, operators, each with its column.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {

struct WhereWord {
  enum class Kind : std::uint8_t {
    word,    // a field, a keyword or a value
    quoted,  // a value
    mark,    // an operator, a parenthesis or a comma
    end,
  };
  Kind kind = Kind::end;
  std::string text;  // without quotes; an alias in its usual form: "and" for "&&"
  std::size_t column = 1;
};

// Ends with a word of the kind `end`. Throws WhereError.
[[nodiscard]] std::vector<WhereWord> split_where(std::string_view text);

}  // namespace fathom::fs
