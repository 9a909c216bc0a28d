// Child: pipes, posix_spawn() and waitpid().

#include "net/client/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "fathom/base/error.h"
#include "fathom/base/retry.h"

namespace fathom::bench {

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

Pipe::Pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw base::SystemError("cannot create a pipe", errno);
  out.reset(ends[0]);
  in.reset(ends[1]);
}

pid_t start_child(const std::string& program, std::vector<std::string> arguments,
                  const Streams& streams) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const auto give = [&actions](const base::Fd* end, int number) {
    if (end != nullptr) ::posix_spawn_file_actions_adddup2(&actions, end->get(), number);
  };
  give(streams.input, STDIN_FILENO);
  give(streams.output, STDOUT_FILENO);
  give(streams.error, STDERR_FILENO);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw base::SystemError("cannot start " + program, error);
  return child;
}

int wait_for_child(pid_t child) {
  int status = 0;
  if (base::retry([&] { return ::waitpid(child, &status, 0); }) < 0) {
    throw base::SystemError("cannot wait for a child", errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void read_text(const base::Fd& from, std::string& text, std::string_view enough) {
  std::array<char, 4096> block;
  pollfd watched = {.fd = from.get(), .events = POLLIN, .revents = 0};
  while (enough.empty() || text.find(enough) == std::string::npos) {
    if (::poll(&watched, 1, kPatienceMs) == 0)
      throw base::Error("a child process produced no output");
    const ssize_t count =
        base::retry([&] { return ::read(from.get(), block.data(), block.size()); });
    if (count <= 0) return;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace fathom::bench
