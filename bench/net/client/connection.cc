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
#include "fathom/base/retry.h"

namespace fathom::bench {

namespace {

// Not connected yet.
base::Fd client_socket() {
  base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw base::SystemError("cannot create a socket for a client", errno);
  return socket;
}

timeval to_timeval(std::chrono::milliseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {.tv_sec = whole.count(), .tv_usec = std::chrono::microseconds(time - whole).count()};
}

}  // namespace

SocketBuffers buffers_of_clients(const ClientOptions& options) {
  return set_socket_buffers(client_socket(), options.socket_buffer);
}

base::Fd connect_to(std::uint16_t port, const ClientOptions& options) {
  base::Fd socket = client_socket();
  if (options.socket_buffer > 0) set_socket_buffers(socket, options.socket_buffer);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const timeval patience = to_timeval(options.patience);
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

Connection::Connection(base::Fd socket) : socket_(std::move(socket)) {}

void Connection::start(std::span<const char> message, TimePoint now) noexcept {
  message_ = message;
  sent_ = 0;
  received_ = 0;
  started_ = now;
}

Connection::State Connection::send() {
  while (!sent()) {
    const auto rest = message_.subspan(sent_);
    const ssize_t count = base::retry([&] {
      return ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      break;
    } else {
      return lose(errno);
    }
  }
  return State::under_way;
}

Connection::State Connection::receive(std::span<char> buffer, int flags) {
  const ssize_t count =
      base::retry([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), flags); });
  if (count < 0 && errno == EAGAIN) return flags == 0 ? time_out() : State::under_way;
  if (count <= 0) return lose(count == 0 ? 0 : errno);
  compare(buffer.first(static_cast<std::size_t>(count)));
  return received_ == message_.size() ? State::back : State::under_way;
}

Connection::State Connection::time_out() {
  return lose(ETIMEDOUT);
}

Connection::State Connection::lose(int error) {
  error_ = error;
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
