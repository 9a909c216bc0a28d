// Listening: creating sockets with SO_REUSEPORT on the loopback address.

#include "net/server/listening.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "fathom/base/error.h"
#include "net/server/serving.h"

namespace fathom::bench {

namespace {

void switch_on(const base::Fd& socket, int level, int option) {
  const int on = 1;
  if (::setsockopt(socket.get(), level, option, &on, sizeof on) != 0) {
    throw base::SystemError("cannot set an option of a socket", errno);
  }
}

base::Fd listen_on(std::uint16_t port, int socket_buffer, SocketBuffers& buffers) {
  base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) throw base::SystemError("cannot create a socket", errno);
  switch_on(socket, SOL_SOCKET, SO_REUSEPORT);
  switch_on(socket, IPPROTO_TCP, TCP_NODELAY);
  if (socket_buffer > 0) buffers = set_socket_buffers(socket, socket_buffer);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    throw base::SystemError("cannot listen on 127.0.0.1", errno);
  }
  return socket;
}

}  // namespace

Listeners listen_on_loopback(unsigned count, int socket_buffer) {
  Listeners made;
  made.sockets.push_back(listen_on(0, socket_buffer, made.buffers));
  const std::uint16_t port = port_of(made.sockets.front());
  while (made.sockets.size() < count) {
    made.sockets.push_back(listen_on(port, socket_buffer, made.buffers));
  }
  return made;
}

std::uint16_t port_of(const base::Fd& listener) {
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw base::SystemError("cannot determine the port", errno);
  }
  return ntohs(address.sin_port);
}

}  // namespace fathom::bench
