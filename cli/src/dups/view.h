// DupsView: how duplicates are to be shown to people.

#pragma once

#include <cstddef>

#include "fathom/base/bytes.h"
#include "term/terminal.h"

namespace fathom::cli {

struct DupsView {
  base::Units units = base::Units::iec;
  std::size_t top = 0;           // groups of each list; 0: as the view likes
  bool all = false;              // nothing is left out
  bool summary = false;          // the sums alone
  bool beside_messages = false;  // what goes to standard error is seen with it
  Terminal terminal;
};

}  // namespace fathom::cli
