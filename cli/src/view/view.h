// View: the options for showing results as text.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "fathom/base/bytes.h"
#include "fathom/fs/measure.h"
#include "flags/scan_request.h"
#include "term/terminal.h"

namespace fathom::cli {

struct View {
  fs::Measure measure = fs::Measure::disk;  // of the tree view
  base::Units units = base::Units::iec;
  Order order = Order::size;      // of the tree view
  std::optional<unsigned> depth;  // of the tree view; none: as many levels as fit
  std::size_t top = 0;            // lines of the tree view and of each list; 0: the default
  bool top_fits = false;          // the height of the terminal decided top
  bool verbose = false;           // of --explain: every row, in exact bytes
  bool plain = false;             // words instead of symbols and columns, one fact per line
  bool beside_messages = false;   // standard error is shown on the same terminal
  std::size_t message_lines = 0;  // of that terminal, which messages about the results take
  unsigned path_part = 2;         // paths with this part of the line, 2 for a half, hide no columns
  Terminal terminal;

  // The mark before a size that is a lower bound, one column wide.
  [[nodiscard]] std::string_view lower_bound_mark() const { return terminal.unicode ? "≥" : ">"; }
};

// The options that commands have in common, for results on this descriptor.
[[nodiscard]] View common_view(const CommonRequest& request, int descriptor);

}  // namespace fathom::cli
