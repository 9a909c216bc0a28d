// FreedMemory: mallopt(), which only glibc has.

#include "run/freed_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace fathom::cli {

void return_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargeBlock = 128 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
#endif
}

}  // namespace fathom::cli
