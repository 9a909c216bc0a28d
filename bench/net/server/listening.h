// Listening: sockets that listen on the loopback address only.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/base/fd.h"
#include "net/socket_buffers.h"

namespace fathom::bench {

struct Listeners {
  // Non-blocking, all on one port that the system chooses. Accepted sockets have TCP_NODELAY.
  std::vector<base::Fd> sockets;
  // Of the accepted sockets, if a size was requested.
  SocketBuffers buffers;
};

// With a socket_buffer of 0 the kernel chooses the sizes of the buffers.
Listeners listen_on_loopback(unsigned count, int socket_buffer);

std::uint16_t port_of(const base::Fd& listener);

}  // namespace fathom::bench
