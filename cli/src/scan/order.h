// Order: the sort keys of --sort.

#pragma once

#include <cstdint>

namespace fathom::cli {

enum class Order : std::uint8_t {
  size,   // largest first, in the measure of the scan
  count,  // most entries first
  name,   // ascending, compared byte by byte
  mtime,  // last modified first
};

}  // namespace fathom::cli
