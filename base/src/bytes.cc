// Bytes: formatting and parsing with integer arithmetic alone.

#include "fathom/base/bytes.h"

#include <array>
#include <cstddef>

namespace fathom::base {
namespace {

// The largest power of a unit that fits into 64 bits: 1024^6 < 2^64 < 1024^7, and the same for
// 1000.
constexpr std::size_t kLargestPower = 6;

constexpr std::array<const char*, kLargestPower + 1> kIecNames = {"B",   "KiB", "MiB", "GiB",
                                                                  "TiB", "PiB", "EiB"};
constexpr std::array<const char*, kLargestPower + 1> kSiNames = {"B",  "kB", "MB", "GB",
                                                                 "TB", "PB", "EB"};

constexpr std::uint64_t unit_of(std::uint64_t base, std::size_t power) {
  std::uint64_t unit = 1;
  while (power-- > 0) unit *= base;
  return unit;
}

// bytes / unit, rounded to the nearest, halves up.
std::uint64_t rounded_units(std::uint64_t bytes, std::uint64_t unit) {
  const std::uint64_t rest = bytes % unit;
  return bytes / unit + (rest >= unit - rest ? 1 : 0);
}

// bytes / unit in tenths, rounded alike. Requires bytes / unit < 1024. Cannot overflow: unit <=
// 2^60.
std::uint64_t rounded_tenths(std::uint64_t bytes, std::uint64_t unit) {
  return bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
}

std::string format_scaled(std::uint64_t bytes, std::uint64_t base, const auto& names) {
  if (bytes < base) return std::to_string(bytes) + " B";
  std::size_t power = 1;
  while (power < kLargestPower && rounded_units(bytes, unit_of(base, power)) >= base) ++power;
  const std::uint64_t unit = unit_of(base, power);
  const std::uint64_t tenths = rounded_tenths(bytes, unit);
  std::string number = tenths < 100
                           ? std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10)
                           : std::to_string(rounded_units(bytes, unit));
  return number + ' ' + names[power];
}

constexpr bool is_digit(char c) {
  return '0' <= c && c <= '9';
}

// Independent of the locale, unlike std::tolower().
constexpr char lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

// Removes the leading digits from the text and returns them.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// The number of bytes in the unit; 1 for an empty text.
std::optional<std::uint64_t> parse_unit(std::string_view text) {
  if (text.empty() || equal_ignoring_case(text, "b")) return 1;
  const std::size_t index = std::string_view("kmgtpe").find(lower(text.front()));
  if (index == std::string_view::npos) return std::nullopt;
  const std::string_view suffix = text.substr(1);
  if (equal_ignoring_case(suffix, "b")) return unit_of(1000, index + 1);
  if (suffix.empty() || equal_ignoring_case(suffix, "i") || equal_ignoring_case(suffix, "ib")) {
    return unit_of(1024, index + 1);
  }
  return std::nullopt;
}

// The digits times the unit; nullopt if the product exceeds 64 bits.
std::optional<std::uint64_t> scale_whole(std::string_view digits, std::uint64_t unit) {
  std::uint64_t value = 0;
  for (const char digit : digits) {
    if (__builtin_mul_overflow(value, 10U, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, static_cast<std::uint64_t>(digit - '0'), &value)) {
      return std::nullopt;
    }
  }
  if (__builtin_mul_overflow(value, unit, &value)) return std::nullopt;
  return value;
}

// floor(0.digits * unit), exactly, for any number of digits.
//
// From the last digit to the first, 0.dREST * unit = (d * unit + 0.REST * unit) / 10, and dropping
// the fraction of the inner term does not change the floor of the outer. unit <= 2^60, so the sum
// is below 10 * 2^60 < 2^64.
std::uint64_t scale_fraction(std::string_view digits, std::uint64_t unit) {
  std::uint64_t value = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    value = (static_cast<std::uint64_t>(digits[i] - '0') * unit + value) / 10;
  }
  return value;
}

}  // namespace

std::string format_bytes(std::uint64_t bytes, Units units) {
  switch (units) {
    case Units::iec:
      return format_scaled(bytes, 1024, kIecNames);
    case Units::si:
      return format_scaled(bytes, 1000, kSiNames);
    case Units::raw:
      break;
  }
  return std::to_string(bytes);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const std::string_view whole_digits = take_digits(text);
  if (whole_digits.empty()) return std::nullopt;
  std::string_view fraction_digits;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction_digits = take_digits(text);
    if (fraction_digits.empty()) return std::nullopt;
  }
  if (text.starts_with(' ')) {
    text.remove_prefix(1);
    if (text.empty()) return std::nullopt;  // a space must be followed by a unit
  }
  const auto unit = parse_unit(text);
  if (!unit) return std::nullopt;
  const auto whole = scale_whole(whole_digits, *unit);
  if (!whole) return std::nullopt;
  std::uint64_t value = 0;
  if (__builtin_add_overflow(*whole, scale_fraction(fraction_digits, *unit), &value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace fathom::base
