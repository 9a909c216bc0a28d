// Columns that many reports have, so that they are called the same everywhere.

#pragma once

#include <cstdint>

#include "fathom/fs/measure.h"
#include "fathom/fs/table.h"

namespace fathom::fs {

// The size that was not asked for is the first to go where there is no room.
inline constexpr std::uint8_t kRankOfOtherSize = 3;

[[nodiscard]] inline Column disk_bytes_column(Measure asked) {
  const std::uint8_t rank = asked == Measure::disk ? 0 : kRankOfOtherSize;
  return {"disk_bytes", "Disk usage", CellType::bytes, rank};
}
[[nodiscard]] inline Column apparent_bytes_column(Measure asked) {
  const std::uint8_t rank = asked == Measure::apparent ? 0 : kRankOfOtherSize;
  return {"apparent_bytes", "Apparent size", CellType::bytes, rank};
}

}  // namespace fathom::fs
