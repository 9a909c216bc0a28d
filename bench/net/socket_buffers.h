// SocketBuffers: sets the kernel's buffers of a socket, and asks what the kernel made of it.
//
// Linux doubles the requested size, to account for its own overhead, raises it to a minimum of a
// few KiB, and lowers it to net.core.wmem_max or rmem_max unless the process has CAP_NET_ADMIN. A
// socket without a requested size begins with that of net.ipv4.tcp_wmem and tcp_rmem, and the
// kernel adapts it to the connection.
//
//   const SocketBuffers made = set_socket_buffers(listener, 128);   // both directions
//   made.send, made.receive                                         // 4608, 2304

#pragma once

#include <sys/socket.h>

#include <cerrno>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"

namespace fathom::bench {

// The most that can be requested: Linux doubles it.
inline constexpr int kMostSocketBuffer = 1 << 30;

// In bytes, as the kernel reports them.
struct SocketBuffers {
  int send = 0;
  int receive = 0;
};

// The size of one buffer afterwards. FORCED is the option that may exceed the system's limit.
inline int set_socket_buffer(const base::Fd& socket, int option, int forced, int bytes) {
  int made = 0;
  socklen_t size = sizeof made;
  if ((::setsockopt(socket.get(), SOL_SOCKET, forced, &bytes, sizeof bytes) != 0 &&
       ::setsockopt(socket.get(), SOL_SOCKET, option, &bytes, sizeof bytes) != 0) ||
      ::getsockopt(socket.get(), SOL_SOCKET, option, &made, &size) != 0) {
    throw base::SystemError("cannot set the buffers of a socket", errno);
  }
  return made;
}

// Call it before connect() or listen(), which choose the scale of the window. Accepted sockets
// inherit the buffers of their listener.
inline SocketBuffers set_socket_buffers(const base::Fd& socket, int bytes) {
  return {.send = set_socket_buffer(socket, SO_SNDBUF, SO_SNDBUFFORCE, bytes),
          .receive = set_socket_buffer(socket, SO_RCVBUF, SO_RCVBUFFORCE, bytes)};
}

}  // namespace fathom::bench
