// expect: a property that holds for every input; the program aborts where it does not.

#pragma once

#include <cstdio>
#include <cstdlib>

namespace fathom::web {

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace fathom::web
