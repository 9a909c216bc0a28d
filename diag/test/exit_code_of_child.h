// exit_code_of_child(): what a forked child says of itself, for tests of what a fork leaves behind.

#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace fathom::diag {

// Whether a child may allocate that was forked while other threads did. AddressSanitizer's own
// allocator (of GCC 12) does not mind forks: the child may find it locked.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kChildrenMayAllocate = false;
#else
inline constexpr bool kChildrenMayAllocate = true;
#endif

// Runs it in a child: what it does to the program stays there. 0 if it returned true, 1 if false;
// -1 if it did not return: one that hangs is ended.
template <class Function>
int exit_code_of_child(Function function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(function() ? 0 : 1);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether it returned true in so many children, one after the other; up to the first where not.
template <class Function>
bool succeeds_in_children(int children, Function function) {
  for (int i = 0; i < children; ++i) {
    if (exit_code_of_child(function) != 0) return false;
  }
  return true;
}

}  // namespace fathom::diag
