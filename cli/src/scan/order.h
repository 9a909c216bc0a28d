// Order: by what --sort puts entries in order.

#pragma once

#include <cstdint>

namespace fathom::cli {

enum class Order : std::uint8_t {
  size,   // the largest first, as the measure of the scan has it
  count,  // those with the most entries first
  name,   // the smallest first, byte by byte
  mtime,  // what was modified last first
};

}  // namespace fathom::cli
