// Numbers for users: counts, durations, rates.

#include "fathom/text/number.h"

#include <algorithm>
#include <chrono>

#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"

namespace fathom::text {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t digits = 3; digits < text.size(); digits += 4) {
    text.insert(text.size() - digits, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + ' ' + std::string(number == 1 ? one : many);
}

std::string signed_bytes(std::int64_t change, base::Units units) {
  const std::string size = base::format_bytes(base::magnitude(change), units);
  return (change < 0 ? "-" : change > 0 ? "+" : "") + size;
}

std::string duration(double seconds) {
  constexpr double kMost = 9e9;  // seconds; more nanoseconds would not fit in 64 bits
  const double nanoseconds = std::clamp(seconds, 0.0, kMost) * 1e9;
  return base::format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
}

std::string rate_of(std::uint64_t number, double seconds) {
  constexpr double kMost = 1.8e19;  // more would not fit in 64 bits
  if (seconds <= 0) return "";
  const double rate = std::min(static_cast<double>(number) / seconds, kMost);
  return grouped(static_cast<std::uint64_t>(rate)) + "/s";
}

std::string right(std::string_view text, std::size_t columns) {
  std::string padded(columns > text.size() ? columns - text.size() : 0, ' ');
  padded += text;
  return padded;
}

}  // namespace fathom::text
