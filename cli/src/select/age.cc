// Ages: parsing a number and a unit.

#include "select/age.h"

#include <charconv>
#include <cstdint>

namespace fathom::cli {

namespace {

constexpr std::int64_t kMost = 1000LL * 366 * 24 * 60 * 60;

std::int64_t seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 60LL * 60;
    case 'd':
      return 24LL * 60 * 60;
    case 'w':
      return 7LL * 24 * 60 * 60;
    default:
      return 0;
  }
}

}  // namespace

std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::int64_t unit = seconds_of(text.back());
  if (unit == 0) return std::nullopt;
  text.remove_suffix(1);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > kMost / unit) {
    return std::nullopt;
  }
  return std::chrono::seconds(number * unit);
}

}  // namespace fathom::cli
