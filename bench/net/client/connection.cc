// Connection: sending, receiving and comparing.

#include "net/client/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fathom/base/error.h"

namespace fathom::bench {

Fd connect_to(std::uint16_t port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw base::SystemError("cannot create a socket for a client", errno);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const timeval patience = {.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw base::SystemError("cannot connect a client", errno);
  }
  return socket;
}

Connection::Connection(Fd socket) : socket_(std::move(socket)) {}

void Connection::start(std::span<const char> message, TimePoint now) noexcept {
  message_ = message;
  sent_ = 0;
  received_ = 0;
  started_ = now;
}

Connection::State Connection::send() {
  while (!sent()) {
    const auto rest = message_.subspan(sent_);
    const ssize_t count =
        ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      return lose(errno);
    }
  }
  return State::under_way;
}

Connection::State Connection::receive(std::span<char> buffer, int flags) {
  const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), flags);
  if (count < 0 && errno == EAGAIN && flags == 0) {
    throw base::Error("the server has not answered for a minute");
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return State::under_way;
  if (count <= 0) return lose(count == 0 ? 0 : errno);
  compare(buffer.first(static_cast<std::size_t>(count)));
  return received_ == message_.size() ? State::back : State::under_way;
}

// Sending after the peer's reset has been reported gives EPIPE.
Connection::State Connection::lose(int error) {
  const bool reset = error == ECONNRESET || error == EPIPE;
  loss_ = error == 0 ? Loss::closed : reset ? Loss::reset : Loss::other;
  socket_.reset();
  return State::lost;
}

void Connection::compare(std::span<const char> bytes) {
  const std::size_t count = std::min(bytes.size(), message_.size() - received_);
  const char* const expected = message_.data() + received_;
  if (std::memcmp(bytes.data(), expected, count) != 0) {
    for (std::size_t i = 0; i < count; ++i) wrong_bytes_ += bytes[i] != expected[i];
  }
  wrong_bytes_ += bytes.size() - count;
  received_ += count;
}

}  // namespace fathom::bench
