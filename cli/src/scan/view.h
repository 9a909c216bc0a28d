// View: how results are to be shown, whatever they are.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "fathom/base/bytes.h"
#include "fathom/fs/measure.h"
#include "scan/order.h"
#include "term/terminal.h"

namespace fathom::cli {

struct View {
  fs::Measure measure = fs::Measure::disk;
  base::Units units = base::Units::iec;
  Order order = Order::size;      // of the picture
  std::optional<unsigned> depth;  // of the picture's lowest rows; none: as deep as there is room
  std::size_t top = 0;            // lines of the picture and of each list; 0: as the view likes
  bool plain = false;             // words instead of symbols and columns, a fact a line
  bool beside_messages = false;   // what goes to standard error is seen with it
  Terminal terminal;

  // Stands before a size that is a lower bound, one column wide.
  [[nodiscard]] std::string_view lower_bound_mark() const { return terminal.unicode ? "≥" : ">"; }
};

}  // namespace fathom::cli
