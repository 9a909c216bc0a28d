#include "diag/calls.h"

namespace fathom::bench {

// Each call has a frame: nothing may be its last act.
__attribute__((noinline)) void call_at_depth(int depth, void (*function)(void*), void* argument) {
  if (depth == 0) {
    function(argument);
  } else {
    call_at_depth(depth - 1, function, argument);
  }
  asm volatile("" ::: "memory");
}

}  // namespace fathom::bench
