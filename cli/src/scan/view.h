// View: how results are to be shown, whatever they are.

#pragma once

#include "fathom/base/bytes.h"
#include "fathom/fs/report.h"
#include "term/terminal.h"

namespace fathom::cli {

struct View {
  fs::Measure measure = fs::Measure::disk;
  base::Units units = base::Units::iec;
  Terminal terminal;
};

}  // namespace fathom::cli
