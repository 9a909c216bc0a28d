// Calls: recursion that the compiler cannot turn into a loop.

#include "diag/calls.h"

namespace fathom::bench {

// Each call needs a frame: the empty statement after it prevents a tail call.
__attribute__((noinline)) void call_at_depth(int depth, void (*function)(void*), void* argument) {
  if (depth == 0) {
    function(argument);
  } else {
    call_at_depth(depth - 1, function, argument);
  }
  asm volatile("" ::: "memory");
}

}  // namespace fathom::bench
