// ended_child(): runs a function in a forked child that may be ended by a signal, and keeps what it
// prints on standard error.

#pragma once

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::diag {

struct EndedChild {
  int signal = 0;  // 0: none ended it
  int code = 0;    // its exit code; 0 if the function returned
  std::string err;
};

// Signals that stop the child, which needs PTRACE_TRACEME for it, are counted and then suppressed.
// Throws base::SystemError.
template <class Function>
EndedChild ended_child(Function function, int* stops = nullptr) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw base::SystemError("cannot make a pipe", errno);
  const base::Fd reading(ends[0]);
  base::Fd writing(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(writing.get(), STDERR_FILENO);
    ::alarm(60);
    function();
    ::_exit(0);
  }
  writing.reset();
  int status = 0;
  while (base::retry([&] { return ::waitpid(child, &status, 0); }) == child && WIFSTOPPED(status)) {
    if (stops != nullptr && WSTOPSIG(status) == SIGTRAP) ++*stops;
    ::ptrace(PTRACE_CONT, child, nullptr, nullptr);
  }
  EndedChild ended;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  char text[4096];
  for (ssize_t size = 0; (size = ::read(reading.get(), text, sizeof text)) > 0;) {
    ended.err.append(text, static_cast<std::size_t>(size));
  }
  return ended;
}

}  // namespace fathom::diag
