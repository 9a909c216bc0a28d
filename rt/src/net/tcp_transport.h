// TcpTransport: how a TcpServer accepts, receives and sends: by readiness on a Reactor, by
// completion on a Proactor.
//
// Buffers, marks, timeouts and handlers are the task of TcpServer and TcpConnection, for both
// kinds.

#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "fathom/rt/net/tcp_connection.h"
#include "fathom/rt/net/tcp_server.h"

namespace fathom::rt {

// The I/O of one connection. It is destroyed in a later turn than the one in which it was closed.
class TcpLink {
 public:
  TcpLink() = default;
  TcpLink(const TcpLink&) = delete;
  TcpLink& operator=(const TcpLink&) = delete;
  virtual ~TcpLink() = default;

  // Makes close() reset the connection, so that the peer knows that data is missing.
  void reset_at_close() noexcept {
    const linger none{1, 0};
    static_cast<void>(::setsockopt(socket(), SOL_SOCKET, SO_LINGER, &none, sizeof none));
  }

  // Closes the descriptor. The link makes no further calls; this may be called within one of them.
  virtual void close() noexcept = 0;

  // Starts or stops receiving; throws base::SystemError. Calls received(), peer_ended() once, and
  // failed() once. Data that arrives while receiving is stopped waits in the kernel or in the link;
  // if the stream ends or the peer is gone then, it calls leaving().
  virtual void receive(bool wanted) = 0;

  // Sends as many of the bytes as possible without waiting, and keeps none. Returns how many;
  // -errno for an error that ends the connection.
  virtual std::ptrdiff_t send_now(std::span<const std::byte> bytes) {
    const std::ptrdiff_t sent = base::retry_errno(
        [&] { return ::send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
    return sent == -EAGAIN ? 0 : sent;
  }

  // Sends the connection's to_send() until it is empty, and calls sent(); throws base::SystemError.
  // Called again when there are new bytes.
  virtual void send_queued() = 0;

  // On return, it no longer uses to_send(). Sends nothing more.
  virtual void stop_sending() noexcept {}

  // Receives what has already arrived, if that can be known without waiting, and calls received()
  // for it. Does nothing unless it is receiving.
  virtual void receive_now() {}

  // Ends our stream. Called when everything is sent.
  void shut_down() { static_cast<void>(::shutdown(socket(), SHUT_WR)); }

 protected:
  [[nodiscard]] virtual int socket() const = 0;

  // The error that ended the connection, as errno; 0 if there is none.
  [[nodiscard]] int error_of_socket() const {
    int error = 0;
    socklen_t size = sizeof error;
    static_cast<void>(::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &error, &size));
    return error;
  }

  static void received(TcpConnection& to, std::span<const std::byte> bytes) { to.received(bytes); }
  static void peer_ended(TcpConnection& to) { to.peer_ended(); }
  static void sent(TcpConnection& to, std::size_t bytes) { to.sent(bytes); }
  static void failed(TcpConnection& to, int error) { to.failed(error); }
  static void leaving(TcpConnection& to) { to.leaving(); }
  static std::span<const std::byte> to_send(const TcpConnection& of) { return of.to_send(); }
};

// Accepts connections. It calls accepted() with a non-blocking socket, and accept_failed().
class TcpListener {
 public:
  TcpListener() = default;
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  virtual ~TcpListener() = default;  // closes the socket

  // Starts or stops accepting.
  virtual void accept(bool wanted) = 0;

  // Accepts one connection without waiting. Returns its descriptor, or -errno.
  int accept_now() {
    return base::retry_errno(
        [&] { return ::accept4(socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  }

 protected:
  [[nodiscard]] virtual int socket() const = 0;

  static void accepted(TcpServer& server, base::Fd socket) { server.accepted(std::move(socket)); }
  static void accept_failed(TcpServer& server, int error) { server.accept_failed(error); }

  // Errors that concern only the connection to accept, so that the next one can be accepted:
  // accept(2).
  static bool concerns_one(int error) {
    switch (error) {
      case ECONNABORTED:
      case ENETDOWN:
      case EPROTO:
      case ENOPROTOOPT:
      case EHOSTDOWN:
      case ENONET:
      case EHOSTUNREACH:
      case EOPNOTSUPP:
      case ENETUNREACH:
      case EPERM:
        return true;
      default:
        return false;
    }
  }
};

class TcpTransport {
 public:
  TcpTransport() = default;
  TcpTransport(const TcpTransport&) = delete;
  TcpTransport& operator=(const TcpTransport&) = delete;
  virtual ~TcpTransport() = default;

  // These throw base::SystemError.
  virtual std::unique_ptr<TcpLink> link(base::Fd socket, TcpConnection& connection) = 0;
  virtual std::unique_ptr<TcpListener> listen(base::Fd socket, TcpServer& server) = 0;
};

}  // namespace fathom::rt
