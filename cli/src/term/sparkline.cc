// Sparkline: block characters by level.

#include "term/sparkline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

namespace fathom::cli {

std::string sparkline(std::span<const std::optional<std::uint64_t>> values, bool unicode) {
  static constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄",
                                                              "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 8> kAscii = {"_", ".", ":", "-",
                                                             "=", "+", "*", "#"};
  const auto& levels = unicode ? kBlocks : kAscii;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  for (const auto& value : values) {
    if (!value) continue;
    least = std::min(least, *value);
    most = std::max(most, *value);
  }
  std::string text;
  for (const auto& value : values) {
    if (!value) {
      text += ' ';
      continue;
    }
    // In floating point, because a product could overflow.
    const double share =
        most > least ? static_cast<double>(*value - least) / static_cast<double>(most - least) : 0;
    text += levels[static_cast<std::size_t>(share * (kBlocks.size() - 1) + 0.5)];
  }
  return text;
}

}  // namespace fathom::cli
