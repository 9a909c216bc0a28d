// Columns and cells that many reports share.

#pragma once

#include <cstdint>

#include "fathom/fs/measure.h"
#include "fathom/fs/table.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// The size that is not the measure is the first one to drop if space is short.
inline constexpr std::uint8_t kRankOfOtherSize = 3;

[[nodiscard]] inline Column disk_bytes_column(Measure asked) {
  const std::uint8_t rank = asked == Measure::disk ? 0 : kRankOfOtherSize;
  return {"disk_bytes", "Disk usage", CellType::bytes, rank};
}
[[nodiscard]] inline Column apparent_bytes_column(Measure asked) {
  const std::uint8_t rank = asked == Measure::apparent ? 0 : kRankOfOtherSize;
  return {"apparent_bytes", "Apparent size", CellType::bytes, rank};
}

// Nothing if the time is unknown.
[[nodiscard]] inline Cell time_cell(std::int64_t mtime) {
  return mtime == kUnknownTime ? Cell() : Cell(mtime);
}
[[nodiscard]] inline Cell owner_cell(std::uint32_t id) {
  return id == kUnknownOwner ? Cell() : Cell(std::int64_t{id});
}

}  // namespace fathom::fs
