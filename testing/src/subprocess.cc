// Subprocess: posix_spawn(), and reading both outputs with poll().

#include "fathom/testing/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::testing {
namespace {

struct Pipe {
  base::Fd read;
  base::Fd write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw base::SystemError("cannot create a pipe", errno);
  return {base::Fd(ends[0]), base::Fd(ends[1])};
}

// Redirects the child's standard input, output and error.
class Redirections {
 public:
  Redirections(int out, int err) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
  }
  ~Redirections() { ::posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

bool sets_same_variable(std::string_view a, std::string_view b) {
  return a.substr(0, a.find('=')) == b.substr(0, b.find('='));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** own = environ; *own != nullptr; ++own) {
    bool changed = false;
    for (const std::string& change : changes) changed |= sets_same_variable(change, *own);
    if (!changed) all.emplace_back(*own);
  }
  return all;
}

// The format that exec requires. The pointers refer to `strings`; exec does not write to them.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Reads what is available; closes the pipe at its end.
void read_some(base::Fd& pipe, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t count =
      base::retry([&] { return ::read(pipe.get(), buffer.data(), buffer.size()); });
  if (count > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(count));
  } else {
    pipe.reset();
  }
}

// Reads both at the same time: a child that fills one pipe while we wait for the other would wait
// forever.
void read_both(base::Fd& out, base::Fd& err, RunResult& result) {
  while (out || err) {
    // poll() ignores negative descriptors.
    std::array<pollfd, 2> pipes = {pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
    if (::poll(pipes.data(), pipes.size(), -1) < 0) continue;
    if (pipes[0].revents != 0) read_some(out, result.out);
    if (pipes[1].revents != 0) read_some(err, result.err);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  if (base::retry([&] { return ::waitpid(child, &status, 0); }) < 0) {
    throw base::SystemError("cannot wait for a child", errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

RunResult run(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  if (argv.empty()) throw base::Error("cannot run an empty command");
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  const Redirections redirections(out.write.get(), err.write.get());
  const std::vector<std::string> variables = merged_environment(environment);
  pid_t child = -1;
  const int failure = ::posix_spawnp(&child, argv[0].c_str(), redirections.get(), nullptr,
                                     pointers_to(argv).data(), pointers_to(variables).data());
  if (failure != 0) throw base::SystemError("cannot run " + argv[0], failure);
  out.write.reset();
  err.write.reset();
  RunResult result;
  read_both(out.read, err.read, result);
  result.status = wait_for(child);
  return result;
}

}  // namespace fathom::testing
