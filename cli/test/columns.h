// The width of lines on a terminal, and a view for a terminal.

#pragma once

#include <algorithm>
#include <string>

#include "term/label.h"
#include "view/view.h"

namespace fathom::cli {

// The columns of a line on a terminal. Measuring with Label escapes backslashes and outer blanks
// once more; this function does not count those escapes.
inline unsigned columns_of(std::string line) {
  std::erase(line, '\\');
  std::replace(line.begin(), line.end(), ' ', '_');
  return Label(line, true).width();
}

inline View view_of_width(unsigned width, unsigned height = 0) {
  View view;
  view.terminal = {
      .width = width, .height = height, .person = true, .color = false, .unicode = true};
  return view;
}

}  // namespace fathom::cli
