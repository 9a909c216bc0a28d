// TcpTransport: how a TcpServer accepts, receives and sends: by readiness on a Reactor, by
// completion on a Proactor.
//
// It knows nothing of buffers, marks, timeouts and handlers, which TcpServer and TcpConnection do
// for both.

#pragma once

#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>

#include "fathom/rt/net/tcp_connection.h"
#include "fathom/rt/net/tcp_server.h"

namespace fathom::rt {

// The I/O of a connection. It is destroyed in a later turn than it was closed in.
class TcpLink {
 public:
  TcpLink() = default;
  TcpLink(const TcpLink&) = delete;
  TcpLink& operator=(const TcpLink&) = delete;
  virtual ~TcpLink() = default;

  // close() is to end with a reset, so that the other side knows that not all has come.
  virtual void reset_at_close() noexcept {}

  // Closes the descriptor. From now on the link calls nobody; this may be within a call of its own.
  virtual void close() noexcept = 0;

  // Receives from now on, or not; throws base::SystemError. It tells received(), peer_ended() once,
  // failed() once. What comes while it is not wanted waits in the kernel, or with it.
  virtual void receive(bool wanted) = 0;

  // Sends some of the bytes at once where it can, and keeps none: how many; -errno for an error
  // that ends the connection.
  virtual std::ptrdiff_t send_now(std::span<const std::byte> bytes) = 0;

  // Sends the connection's to_send() until there is none, and tells sent(); throws
  // base::SystemError. Called when there is some again.
  virtual void send_queued() = 0;

  // No more is sent. Called when all is.
  virtual void shut_down() = 0;

 protected:
  static void received(TcpConnection& to, std::span<const std::byte> bytes) { to.received(bytes); }
  static void peer_ended(TcpConnection& to) { to.peer_ended(); }
  static void sent(TcpConnection& to, std::size_t bytes) { to.sent(bytes); }
  static void failed(TcpConnection& to, int error) { to.failed(error); }
  static std::span<const std::byte> to_send(const TcpConnection& of) { return of.to_send(); }
};

// Accepts. It tells accepted(), with a descriptor that does not block and is the server's from then
// on, and accept_failed().
class TcpListener {
 public:
  TcpListener() = default;
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  virtual ~TcpListener() = default;  // closes the descriptor

  // Accepts from now on, or not.
  virtual void accept(bool wanted) = 0;

  // Accepts one connection at once: its descriptor, or -errno.
  virtual int accept_now() = 0;

 protected:
  static void accepted(TcpServer& server, int descriptor) { server.accepted(descriptor); }
  static void accept_failed(TcpServer& server, int error) { server.accept_failed(error); }

  // Errors of the connection that would have been accepted, after which the next one is: accept(2).
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

  // The descriptors are the link's and the listener's from then on, also where it throws
  // base::SystemError.
  virtual std::unique_ptr<TcpLink> link(int descriptor, TcpConnection& connection) = 0;
  virtual std::unique_ptr<TcpListener> listen(int descriptor, TcpServer& server) = 0;
};

}  // namespace fathom::rt
