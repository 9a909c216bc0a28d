// Runs a function in a child of fork(2), which ends without destructors of static objects.

#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::rt::testing {

// Whether the function returns true in the child, which has only the calling thread.
inline bool holds_in_child(const std::function<bool()>& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // not left behind if it hangs
    bool holds = false;
    try {
      holds = function();
    } catch (...) {  // it does not hold
    }
    ::_exit(holds ? 0 : 1);
  }
  int status = -1;
  base::retry([&] { return ::waitpid(child, &status, 0); });
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Whether the function throws base::Error.
template <class F>
bool is_refused(const F& function) {
  try {
    function();
  } catch (const base::Error&) {
    return true;
  }
  return false;
}

}  // namespace fathom::rt::testing
