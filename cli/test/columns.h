// What tests measure of text that is ready to be printed.

#pragma once

#include <algorithm>
#include <string>

#include "term/label.h"

namespace fathom::cli {

// The columns of a line on a terminal. A Label would escape the line once more: its backslashes,
// which are left out here, and blanks at its ends.
inline unsigned columns_of(std::string line) {
  std::erase(line, '\\');
  std::replace(line.begin(), line.end(), ' ', '_');
  return Label(line, true).width();
}

}  // namespace fathom::cli
