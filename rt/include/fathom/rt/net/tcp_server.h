// TcpServer: accepts connections on an address, and gives each to a handler.
//
// Guarantees: no more connections than allowed; others wait in the kernel's queue, and are accepted
// as places become free. Where the system has no descriptors or memory left, those that come are
// turned away or wait, and the loop does not spin. No signal SIGPIPE is raised. One loop, one
// thread; several servers, each with a loop, may share a port (TcpOptions::share_port).
//
// The same on a Reactor, by readiness, and on a Proactor, by completion.
//
//   Reactor reactor;
//   TcpServer server(reactor, {.port = 7777}, [](TcpConnection&) { return std::make_unique<Echo>();
//   }); reactor.run();

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fathom/rt/net/event_loop.h"
#include "fathom/rt/net/tcp_connection.h"

namespace fathom::rt {

class TcpListener;
class TcpTransport;

struct TcpOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 0;             // 0: the system chooses
  int backlog = 1024;                 // connections that wait to be accepted
  bool share_port = false;            // with other servers, among whom the kernel distributes
  // A socket that listens already, of any stream protocol: systemd's, say, or one of a Unix domain.
  // It is the server's from then on, and the four above are not looked at. -1: none.
  int listener = -1;

  std::size_t max_connections = 65'536;
  bool no_delay = true;  // small messages go out at once

  std::size_t high_mark = std::size_t{256} << 10;    // bytes that wait to be sent: stop receiving
  std::size_t low_mark = std::size_t{64} << 10;      // go on
  std::size_t receive_limit = std::size_t{1} << 20;  // bytes that a handler may leave unused

  // 0: none. They end a connection on which nothing was received or sent for so long, or which has
  // something to send, of which the other side takes nothing, with ETIMEDOUT.
  std::chrono::milliseconds idle_timeout{0};
  std::chrono::milliseconds write_timeout{0};
};

class TcpServer {
 public:
  // Called for each connection before anything is received; it may send, but not close. A null
  // pointer closes it.
  using MakeHandler = std::function<std::unique_ptr<TcpHandler>(TcpConnection&)>;

  struct Stats {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;        // closed for want of descriptors or memory
    std::uint64_t accept_pauses = 0;  // for want of descriptors or memory
    std::uint64_t receives = 0;       // calls and completions that brought bytes
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
  };

  // Listens; the loop must outlive the server. Throws base::Error for an address that is none, and
  // base::SystemError, EADDRINUSE say.
  TcpServer(EventLoop& loop, TcpOptions options, MakeHandler make_handler);
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  // Closes all connections. Not from within a handler's call.
  ~TcpServer();

  // The port that it listens on, or did; 0 where its protocol has none.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] EventLoop& loop() const noexcept { return loop_; }
  [[nodiscard]] const Stats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::size_t connections() const noexcept { return connections_.size(); }

  // Null when it has been closed.
  [[nodiscard]] TcpConnection* find(TcpConnection::Id id) const noexcept;

  // Accepts no more, finishes all connections, and closes those that have not ended by themselves
  // after the grace. Then the loop calls `done`, if there is one. Later calls do nothing.
  void shut_down(EventLoop::Duration grace, std::function<void()> done = {});

 private:
  friend class TcpConnection;
  friend class TcpListener;

  // From the listener.
  void accepted(int descriptor);
  void accept_failed(int error);

  void turn_one_away();
  void pause_accepting();
  void update_accepting();
  void closed(TcpConnection& connection);
  void check_shut_down();
  template <class Function>
  void later(Function function);

  EventLoop& loop_;
  const TcpOptions options_;
  const MakeHandler make_handler_;
  const std::unique_ptr<TcpTransport> transport_;
  std::unique_ptr<TcpListener> listener_;
  std::uint16_t port_ = 0;
  int spare_ = -1;  // a descriptor that can be given up to turn a connection away
  Stats stats_;

  TcpConnection::Id next_id_ = 1;
  std::unordered_map<TcpConnection::Id, std::unique_ptr<TcpConnection>> connections_;
  std::vector<std::unique_ptr<TcpConnection>> closed_;  // their calls may still be under way
  bool freeing_ = false;                                // a job will free them
  EventLoop::Timer accept_again_;
  bool accept_paused_ = false;

  bool shutting_down_ = false;
  EventLoop::Timer grace_;
  std::function<void()> done_;
  // Jobs outlive the server: they look here whether it is still there.
  std::shared_ptr<TcpServer*> self_ = std::make_shared<TcpServer*>(this);
};

}  // namespace fathom::rt
