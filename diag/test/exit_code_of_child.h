// exit_code_of_child(): runs a function in a forked child, for tests of the effects of a fork.

#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace fathom::diag {

// Whether a child that was forked while other threads allocate may allocate. The allocator of
// AddressSanitizer (GCC 12) has no fork handlers: it may be locked in the child.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kChildrenMayAllocate = false;
#else
inline constexpr bool kChildrenMayAllocate = true;
#endif

// Runs the function in a child, so that its effects do not reach this process. Returns its result,
// a small number, or -1 if it did not return; a child that hangs is killed.
template <class Function>
int status_of_child(Function function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(function());
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The same for a function that returns whether it succeeded: 0 if so, otherwise 1.
template <class Function>
int exit_code_of_child(Function function) {
  return status_of_child([&] { return function() ? 0 : 1; });
}

// Whether it returned true in so many children, one after the other; stops at the first failure.
template <class Function>
bool succeeds_in_children(int children, Function function) {
  for (int i = 0; i < children; ++i) {
    if (exit_code_of_child(function) != 0) return false;
  }
  return true;
}

}  // namespace fathom::diag
