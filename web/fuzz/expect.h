// expect: what must hold for every text; the program ends where it does not.

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
