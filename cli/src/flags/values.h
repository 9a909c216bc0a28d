// Values: parsers for the arguments of flags, and setters that store them in a request.
//
// Each throws UsageError if the argument is not valid. None makes a system call.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "fathom/base/moment.h"
#include "flags/flag.h"

namespace fathom::cli {

// Throws UsageError: "option '--FLAG' takes WANTED, not 'ARGUMENT'". The wanted arguments are those
// that the row of the flag names, or those of its kind. If there are many forms, examples follow,
// one per line.
[[noreturn]] void refuse(const Flag& flag, std::string_view argument);

// A number in the flag's range.
[[nodiscard]] std::size_t parse_number(const Flag& flag, std::string_view text);

// A size in bytes, with or without a unit.
[[nodiscard]] std::uint64_t parse_size(const Flag& flag, std::string_view text);

[[nodiscard]] base::Moment parse_moment(const Flag& flag, std::string_view text);

// The name of a file, a stream or a directory.
[[nodiscard]] std::string parse_file(const Flag& flag, std::string_view text);

// ---- Setters: the functions of a table of flags
//
// kField is a pointer to a member of the request, or a chain of them:
//   turn_on<&DupsRequest::plan, &PlanRequest::execute>

// request.*kFirst.*kSecond and so on: a fold over the operator .*
template <auto... kField, class Request>
constexpr auto& field_of(Request& request) {
  return (request.*....*kField);
}

template <auto... kField, class Request>
void turn_on(Request& request, const Flag&, std::string_view) {
  field_of<kField...>(request) = true;
}

template <auto... kField, class Request>
void turn_off(Request& request, const Flag&, std::string_view) {
  field_of<kField...>(request) = false;
}

template <auto kField, auto kValue, class Request>
void set_to(Request& request, const Flag&, std::string_view) {
  request.*kField = kValue;
}

// The range of the flag must fit into the field.
template <auto... kField, class Request>
void set_number(Request& request, const Flag& flag, std::string_view argument) {
  auto& field = field_of<kField...>(request);
  using Field = std::remove_reference_t<decltype(field)>;
  if constexpr (requires { typename Field::value_type; }) {
    field = static_cast<typename Field::value_type>(parse_number(flag, argument));
  } else {
    field = static_cast<Field>(parse_number(flag, argument));
  }
}

template <auto... kField, class Request>
void set_size(Request& request, const Flag& flag, std::string_view argument) {
  field_of<kField...>(request) = parse_size(flag, argument);
}

template <auto... kField, class Request>
void set_file(Request& request, const Flag& flag, std::string_view argument) {
  field_of<kField...>(request) = parse_file(flag, argument);
}

// The flag's choices must be kChoices<kTable>.
template <const auto& kTable, auto... kField, class Request>
void choose(Request& request, const Flag& flag, std::string_view argument) {
  for (const auto& row : kTable) {
    if (row.choice.name == argument) {
      field_of<kField...>(request) = row.value;
      return;
    }
  }
  refuse(flag, argument);
}

}  // namespace fathom::cli
