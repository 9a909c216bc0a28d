// StoppedCommand: fork(), and exec() after a byte from a pipe.

#include "threads/stopped_command.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::diag {

namespace {

struct Pipe {
  base::Fd in;
  base::Fd out;
};

Pipe make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw base::SystemError("pipe2", errno);
  return {base::Fd(ends[0]), base::Fd(ends[1])};
}

// In the child, which may only call functions that are safe after a fork in a program with threads.
[[noreturn]] void become(char* const* arguments, const sigset_t& mask, int permission,
                         int failure) {
  char byte = 0;
  if (base::retry([&] { return ::read(permission, &byte, 1); }) != 1) ::_exit(127);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(arguments[0], arguments);
  const int code = errno;
  static_cast<void>(base::retry([&] { return ::write(failure, &code, sizeof code); }));
  ::_exit(127);
}

}  // namespace

StoppedCommand::StoppedCommand(const std::vector<std::string>& command, const sigset_t& mask)
    : name_(command.empty() ? "" : command.front()) {
  if (command.empty()) throw std::invalid_argument("the command is empty");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Pipe permission = make_pipe();
  Pipe failure = make_pipe();
  process_ = ::fork();
  if (process_ < 0) throw base::SystemError("cannot create a process", errno);
  if (process_ == 0) {
    // Otherwise, the child would wait for a byte that it could write itself.
    permission.out.reset();
    become(arguments.data(), mask, permission.in.get(), failure.out.get());
  }
  permission_ = std::move(permission.out);
  failure_ = std::move(failure.in);
}

StoppedCommand::~StoppedCommand() {
  if (started_) return;
  permission_.reset();
  int status = 0;
  base::retry([&] { return ::waitpid(process_, &status, 0); });
}

void StoppedCommand::start() {
  const char byte = 0;
  static_cast<void>(base::retry([&] { return ::write(permission_.get(), &byte, 1); }));
  int code = 0;
  const ssize_t length = base::retry([&] { return ::read(failure_.get(), &code, sizeof code); });
  // The end of the file: exec() has closed the other end.
  if (length == static_cast<ssize_t>(sizeof code)) {
    throw base::SystemError("cannot run " + name_, code);
  }
  started_ = true;
}

}  // namespace fathom::diag
