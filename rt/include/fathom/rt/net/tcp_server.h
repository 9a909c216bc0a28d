// TcpServer: accepts connections on an address and gives each to a handler.
//
// Guarantees: the number of connections stays within the limit; others wait in the kernel's queue
// and are accepted as connections end, or displace older ones (TcpOptions::displace). If the system
// runs out of descriptors or memory, new connections are closed or wait, and the loop does not
// spin. SIGPIPE is never raised. One server has one loop and one thread; several servers, each with
// its own loop, may share a port (TcpOptions::share_port).
//
// Works on a Reactor (readiness) and on a Proactor (completion).
//
//   Reactor reactor;
//   TcpServer server(reactor, {.port = 7777}, [](TcpConnection&) { return std::make_unique<Echo>();
//   }); reactor.run();

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/net/tcp_connection.h"
#include "fathom/rt/unique_function.h"

namespace fathom::rt {

class TcpListener;
class TcpTransport;

struct TcpOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 0;             // 0: the system chooses
  int backlog = 1024;                 // connections that wait to be accepted
  bool share_port = false;            // with other servers; the kernel distributes connections
  // A listening socket of any stream protocol, for example from systemd or of the Unix domain. The
  // server takes ownership and ignores the four options above. -1: none.
  int listener = -1;

  std::size_t max_connections = 65'536;
  // At the limit of connections or descriptors, a new connection displaces one that the handler
  // does not keep (TcpConnection::keep()): one that is finished, or else the oldest. It is reset,
  // and ends with ECONNABORTED. On a Reactor, what it has sent is passed to its handler first,
  // which may still keep it.
  bool displace = false;
  bool no_delay = true;  // sends small messages immediately (TCP_NODELAY)

  std::size_t high_mark = std::size_t{256} << 10;    // unsent bytes at which receiving stops
  std::size_t low_mark = std::size_t{64} << 10;      // unsent bytes at which it resumes
  std::size_t receive_limit = std::size_t{1} << 20;  // bytes that a handler may leave unused
  // The buffers of all connections together, in bytes; 0: no limit. Beyond it, connections end with
  // ENOBUFS until the others are within it: first those that are not kept, and among equals the one
  // whose peer has taken nothing for the longest time. Never ends the one whose buffer just grew.
  std::size_t buffer_limit = 0;

  // 0: none. End a connection with ETIMEDOUT if nothing was received or sent for this long, or if
  // the peer does not take any of the bytes to send for this long.
  std::chrono::milliseconds idle_timeout{0};
  std::chrono::milliseconds write_timeout{0};
};

class TcpServer {
 public:
  // Called for each connection before anything is received; it may send, but not close. Return a
  // null pointer to close the connection.
  using MakeHandler = UniqueFunction<std::unique_ptr<TcpHandler>(TcpConnection&)>;

  struct Stats {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;        // closed because descriptors or memory ran out
    std::uint64_t accept_pauses = 0;  // because descriptors or memory ran out
    std::uint64_t displaced = 0;      // to make room for others: TcpOptions::displace
    std::uint64_t overfull = 0;       // ended because of TcpOptions::buffer_limit
    std::uint64_t receives = 0;       // calls and completions that brought bytes
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
  };

  // Starts to listen; the loop must outlive the server. Throws base::Error for an invalid address,
  // and base::SystemError for example for EADDRINUSE.
  TcpServer(EventLoop& loop, TcpOptions options, MakeHandler make_handler);
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  // Closes all connections. Must not be called within a handler's call.
  ~TcpServer();

  // The port of the listening socket, even after it is closed; 0 if its protocol does not have
  // ports.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] EventLoop& loop() const noexcept { return loop_; }
  [[nodiscard]] const Stats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::size_t connections() const noexcept { return connections_.size(); }
  // The bytes of the buffers of all connections.
  [[nodiscard]] std::size_t buffered() const noexcept { return buffered_; }

  // Null if the connection is closed.
  [[nodiscard]] TcpConnection* find(TcpConnection::Id id) const noexcept;

  // Stops accepting, finishes all connections, and after the grace period closes those that are
  // left; a period that overflows never ends. Then the loop calls `done`, if given. Later calls do
  // nothing. Throws the first exception of an on_shut_down() when it has called all of them.
  template <class Rep, class Period>
  void shut_down(std::chrono::duration<Rep, Period> grace, UniqueFunction<void()> done = {}) {
    shut_down_by(base::deadline_after(base::monotonic_now(), grace), std::move(done));
  }

 private:
  friend class TcpConnection;
  friend class TcpListener;

  // Called by the listener.
  void accepted(base::Fd socket);
  void accept_failed(int error);

  [[nodiscard]] bool in_child() const noexcept { return loop_.in_child(); }
  bool displace_one();
  void use_spare();
  void pause_accepting();
  void update_accepting();
  void keep(TcpConnection& connection);
  void finishing(TcpConnection& connection) noexcept;
  void buffers_changed(TcpConnection& connection);
  [[nodiscard]] TcpConnection* longest_waiting(const TcpConnection& except) const;
  void closed(TcpConnection& connection);
  void shut_down_by(EventLoop::Time deadline, UniqueFunction<void()> done);
  void check_shut_down();
  template <class Function>
  void later(Function function);

  EventLoop& loop_;
  const TcpOptions options_;
  MakeHandler make_handler_;
  const std::unique_ptr<TcpTransport> transport_;
  std::unique_ptr<TcpListener> listener_;
  std::uint16_t port_ = 0;
  base::Fd spare_;  // a reserve descriptor, released to accept and close a connection
  Stats stats_;

  TcpConnection::Id next_id_ = 1;
  std::unordered_map<TcpConnection::Id, std::unique_ptr<TcpConnection>> connections_;
  // Of connections_: the finished ones, then the others, the oldest first.
  std::list<TcpConnection*> not_kept_;
  std::vector<std::unique_ptr<TcpConnection>> closed_;  // their calls may be in progress
  std::size_t buffered_ = 0;                            // the sum of their buffered_
  bool freeing_ = false;                                // a job to free them is posted
  EventLoop::Timer accept_again_;
  bool accept_paused_ = false;

  bool shutting_down_ = false;
  EventLoop::Timer grace_;
  UniqueFunction<void()> done_;
  // Jobs may outlive the server: they check here whether it still exists.
  std::shared_ptr<TcpServer*> self_ = std::make_shared<TcpServer*>(this);
};

}  // namespace fathom::rt
