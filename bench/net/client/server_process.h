// ServerProcess: an echo server in a separate process, which ends with this object.
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

#include "fathom/base/fd.h"
#include "net/socket_buffers.h"

namespace fathom::bench {

// A kind that fathom-echo-server offers.
struct ServerKind {
  std::string name;
  std::size_t most_clients = 0;  // 0: unlimited
  std::string summary;
};

// All kinds, as the program in this program's folder lists them. Throws if there are none.
std::vector<ServerKind> list_server_kinds();

class ServerProcess {
 public:
  // Throws if it cannot be started. Without `threads`: the default of the kind. With processors it
  // runs only on those. Without a socket_buffer the kernel chooses the sizes of the buffers.
  ServerProcess(const std::string& kind, unsigned threads,
                const std::optional<cpu_set_t>& processors, int socket_buffer = 0);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  // Like stop().
  ~ServerProcess();

  pid_t pid() const noexcept { return pid_; }
  std::uint16_t port() const noexcept { return port_; }
  // What the kernel made of socket_buffer.
  SocketBuffers buffers() const noexcept { return buffers_; }

  // Closes its input, which ends it, and waits; returns its exit code, or 128 + the signal number
  // if a signal ended it. Call it once.
  int stop();

 private:
  pid_t pid_ = -1;
  base::Fd input_;  // closing it ends the server
  std::uint16_t port_ = 0;
  SocketBuffers buffers_;
};

}  // namespace fathom::bench
