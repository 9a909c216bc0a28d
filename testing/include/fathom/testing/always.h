// always: a property that holds for every input of a fuzz target; the program aborts where it does
// not.

#pragma once

#include <cstdio>
#include <cstdlib>

namespace fathom::testing {

inline void always(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace fathom::testing
