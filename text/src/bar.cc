// Bars and shares: drawing with block characters, or "#" in ASCII.

#include "fathom/text/bar.h"

#include <algorithm>
#include <string_view>

#include "fathom/base/saturating.h"

namespace fathom::text {

namespace {

// Uses floating point: a product of two sums of sizes could overflow, and a bar need not be exact.
double share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

// Requires: number >= 0. Avoids lround(), because every start of the program would load libm.
unsigned rounded(double number) {
  return static_cast<unsigned>(number + 0.5);
}

}  // namespace

std::string bar(std::uint64_t part, std::uint64_t whole, unsigned columns, bool unicode) {
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const unsigned steps = unicode ? 8 : 1;
  auto filled = rounded(share(part, whole) * columns * steps);
  if (filled == 0 && part != 0 && whole != 0) filled = 1;
  std::string text;
  for (unsigned i = 0; i < filled / steps; ++i) text += unicode ? "█" : "#";
  text += kEighths[filled % steps];
  return text;
}

std::string signed_bar(std::int64_t change, std::uint64_t most, unsigned columns, bool unicode) {
  const std::string axis = unicode ? "│" : "|";
  const std::uint64_t size =
      change < 0 ? 0 - static_cast<std::uint64_t>(change) : static_cast<std::uint64_t>(change);
  if (change >= 0) return std::string(columns, ' ') + axis + bar(size, most, columns, unicode);
  const unsigned steps = unicode ? 2 : 1;
  const auto filled = std::max(1U, rounded(share(size, most) * columns * steps));
  std::string text(columns - (filled + steps - 1) / steps, ' ');
  if (filled % steps != 0) text += "▐";
  for (unsigned i = 0; i < filled / steps; ++i) text += unicode ? "█" : "#";
  return text + axis;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(rounded(share(part, whole) * 100)) + '%';
}

}  // namespace fathom::text
