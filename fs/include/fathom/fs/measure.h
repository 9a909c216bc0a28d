// Measure: which of its two sizes orders and weighs an entry.

#pragma once

#include <cstdint>

#include "fathom/fs/tree.h"

namespace fathom::fs {

enum class Measure : std::uint8_t { disk, apparent };

[[nodiscard]] inline std::uint64_t bytes_of(const Entry& entry, Measure measure) {
  return measure == Measure::disk ? entry.disk_bytes() : entry.apparent_bytes();
}

}  // namespace fathom::fs
