// View: how results are to be shown, whatever they are.

#pragma once

#include <string_view>

#include "fathom/base/bytes.h"
#include "fathom/fs/measure.h"
#include "term/terminal.h"

namespace fathom::cli {

struct View {
  fs::Measure measure = fs::Measure::disk;
  base::Units units = base::Units::iec;
  Terminal terminal;

  // Stands before a size that is a lower bound, one column wide.
  [[nodiscard]] std::string_view lower_bound_mark() const { return terminal.unicode ? "≥" : ">"; }
};

}  // namespace fathom::cli
