// DupsView: the options for showing duplicates as text.

#pragma once

#include <cstddef>

#include "fathom/base/bytes.h"
#include "term/terminal.h"

namespace fathom::cli {

struct DupsView {
  base::Units units = base::Units::iec;
  std::size_t top = 0;           // groups of each list; 0: the default
  bool all = false;              // no limit
  bool summary = false;          // only the totals
  bool beside_messages = false;  // standard error is shown on the same terminal
  std::size_t message_rows = 0;  // of the screen, for messages there
  Terminal terminal;
};

}  // namespace fathom::cli
