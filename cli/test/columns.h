// Measures of text that is ready to be printed.

#pragma once

#include <algorithm>
#include <string>

#include "term/label.h"

namespace fathom::cli {

// The columns of a line on a terminal. Measuring with Label escapes backslashes and outer blanks
// once more; this function does not count those escapes.
inline unsigned columns_of(std::string line) {
  std::erase(line, '\\');
  std::replace(line.begin(), line.end(), ' ', '_');
  return Label(line, true).width();
}

}  // namespace fathom::cli
