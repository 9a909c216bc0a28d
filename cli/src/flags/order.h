// Order: the sort keys of lists.

#pragma once

#include <array>
#include <cstdint>

#include "flags/flag.h"

namespace fathom::cli {

enum class Order : std::uint8_t {
  size,   // largest first, in the measure of the scan
  count,  // most entries first
  name,   // ascending, compared byte by byte
  mtime,  // last modified first
};

inline constexpr std::array kOrders = {
    ChoiceOf<Order>{{"size"}, Order::size},
    ChoiceOf<Order>{{"count", " (of entries)"}, Order::count},
    ChoiceOf<Order>{{"name"}, Order::name},
    ChoiceOf<Order>{{"mtime", " (latest first)"}, Order::mtime},
};

}  // namespace fathom::cli
