// JsonMember: a member of a JSON object that has a field in a struct. A table of them reads
// objects.
//
//   constexpr auto kPoint = std::to_array<JsonMember<Point>>(
//       {{"x", read_field<&Point::x>}, {"y", read_field<&Point::y>}});
//   input.expect('{');
//   read_members(input, kPoint, point);

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "format/json_input.h"

namespace fathom::fs {

template <class Struct>
struct JsonMember {
  std::string_view key;
  void (*read)(JsonInput& input, Struct& into);  // reads the value
};

// The type of a field decides what its value must be. A signed number is a time.
inline void read_value(JsonInput& input, bool& into) {
  into = input.boolean();
}
inline void read_value(JsonInput& input, std::string& into) {
  into = input.string();
}
inline void read_value(JsonInput& input, std::int64_t& into) {
  into = input.seconds();
}
template <std::unsigned_integral Number>
void read_value(JsonInput& input, Number& into) {
  into = static_cast<Number>(input.whole_number(std::numeric_limits<Number>::max()));
}
template <class Value>
void read_value(JsonInput& input, std::optional<Value>& into) {
  read_value(input, into.emplace());
}

template <auto kField, class Struct>
void read_field(JsonInput& input, Struct& into) {
  read_value(input, into.*kField);
}

// Reads the rest of an object whose '{' has been read. Skips members that are not in the table,
// which is searched from its beginning.
template <class Struct, std::size_t kSize>
void read_members(JsonInput& input, const std::array<JsonMember<Struct>, kSize>& table,
                  Struct& into) {
  if (input.accept('}')) return;
  do {
    const auto* const member =
        std::find_if(table.begin(), table.end(),
                     [key = input.string()](const auto& known) { return known.key == key; });
    input.expect(':');
    if (member == table.end()) {
      input.skip_value();
    } else {
      member->read(input, into);
    }
  } while (input.accept(','));
  input.expect('}');
}

}  // namespace fathom::fs
