// ServerProcess: an echo server that runs as a process of its own until its owner is done with it.
//
//   ServerProcess server("raw", 0, {});
//   connect to server.port() ...

#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/fd.h"

namespace fathom::bench {

// What fathom-echo-server offers.
struct ServerKind {
  std::string name;
  std::size_t most_clients = 0;  // 0: it sets no limit itself
  std::string summary;
};

// All of them, as the program beside this one lists them. Throws if there is none.
std::vector<ServerKind> list_server_kinds();

class ServerProcess {
 public:
  // Throws when it cannot be started. No threads: what is usual for the kind. With processors it
  // runs on those alone.
  ServerProcess(const std::string& kind, unsigned threads,
                const std::optional<cpu_set_t>& processors);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  // As stop().
  ~ServerProcess();

  pid_t pid() const noexcept { return pid_; }
  std::uint16_t port() const noexcept { return port_; }

  // Closes its input, which ends it, and waits for that: its exit code, or 128 + the signal that
  // ended it. To be called once.
  int stop();

 private:
  pid_t pid_ = -1;
  Fd input_;  // the server ends when it is closed
  std::uint16_t port_ = 0;
};

}  // namespace fathom::bench
