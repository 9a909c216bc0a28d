// Sparkline: numbers over time as a line of small bars.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fathom::cli {

// One column for each value: a block of one of eight heights, or without Unicode one of _.:-=+*#
// from left to right. The smallest value has the lowest and the largest the highest; if all are
// equal, the lowest. A missing value is a blank.
[[nodiscard]] std::string sparkline(std::span<const std::optional<std::uint64_t>> values,
                                    bool unicode);

}  // namespace fathom::cli
