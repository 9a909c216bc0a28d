// ServerProcess: starting fathom-echo-server and reading its port.

#include "net/client/server_process.h"

#include <filesystem>
#include <sstream>
#include <utility>

#include "fathom/base/error.h"
#include "net/client/child.h"

namespace fathom::bench {

namespace {

// The server's program is in the same folder as this one.
std::string server_path() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fathom-echo-server";
}

// While it lives, new children run on these CPUs.
class Placed {
 public:
  explicit Placed(const std::optional<cpu_set_t>& processors) : moved_(processors.has_value()) {
    if (!moved_) return;
    ::sched_getaffinity(0, sizeof before_, &before_);
    ::sched_setaffinity(0, sizeof *processors, &*processors);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() {
    if (moved_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  const bool moved_;
  cpu_set_t before_;
};

}  // namespace

std::vector<ServerKind> list_server_kinds() {
  Pipe output;
  const pid_t child = start_child(server_path(), {"--list"}, {.output = &output.in});
  output.in.reset();
  std::string text;
  read_text(output.out, text);
  wait_for_child(child);
  std::istringstream lines(text);
  std::vector<ServerKind> kinds;
  ServerKind kind;
  while (lines >> kind.name >> kind.most_clients && std::getline(lines >> std::ws, kind.summary)) {
    kinds.push_back(kind);
  }
  if (kinds.empty()) throw base::Error("fathom-echo-server lists no kinds");
  return kinds;
}

ServerProcess::ServerProcess(const std::string& kind, unsigned threads,
                             const std::optional<cpu_set_t>& processors, int socket_buffer) {
  std::vector<std::string> arguments = {kind};
  if (threads > 0) arguments.insert(arguments.end(), {"--threads", std::to_string(threads)});
  if (socket_buffer > 0) {
    arguments.insert(arguments.end(), {"--socket-buffer", std::to_string(socket_buffer)});
  }
  Pipe input;
  Pipe output;
  {
    const Placed placed(processors);
    pid_ = start_child(server_path(), std::move(arguments),
                       {.input = &input.out, .output = &output.in});
  }
  output.in.reset();
  input_ = std::move(input.in);
  std::string line;
  read_text(output.out, line, "\n");
  std::istringstream words(line);
  words >> port_;
  if (socket_buffer > 0) words >> buffers_.send >> buffers_.receive;
  if (!words || port_ == 0) {
    input_.reset();
    wait_for_child(pid_);
    throw base::Error("the server '" + kind + "' did not start");
  }
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) stop();
}

int ServerProcess::stop() {
  input_.reset();
  return wait_for_child(std::exchange(pid_, -1));
}

}  // namespace fathom::bench
