// TcpConnection: one connection of a TcpServer. TcpHandler: what a program does with it.
//
// Guarantees: bytes given to send() arrive in order and completely, or the connection ends. If more
// bytes wait to be sent than the high mark, receiving stops until they have fallen to the low mark:
// a client that sends without reading blocks itself and uses no memory here. An idle connection
// takes a few hundred bytes and no buffer.
//
// Everything belongs to the thread of the server's loop. A connection and its handler live until
// on_close() has returned; code that runs later, for example with a result from another thread,
// looks up the connection in the server by its id.
//
//   struct Echo : TcpHandler {
//     std::size_t on_data(TcpConnection& to, std::span<const std::byte> data) override {
//       to.send(data);
//       return data.size();
//     }
//   };

#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/rt/net/event_loop.h"

namespace fathom::rt {

class TcpConnection;
class TcpLink;
class TcpServer;

// An exception from a call leaves the loop's run(), and the connection ends with ECANCELED.
class TcpHandler {
 public:
  virtual ~TcpHandler() = default;

  // Received bytes that were not used before. Returns the number of bytes used; the others are
  // passed again with the bytes that follow, or after resume() or congestion. If unused bytes reach
  // TcpOptions::receive_limit, the connection ends with EMSGSIZE.
  virtual std::size_t on_data(TcpConnection& connection, std::span<const std::byte> data) = 0;

  // The peer has ended its stream, but still receives. All its bytes were passed to on_data().
  virtual void on_end(TcpConnection& connection);  // finish()

  // While nothing is received, because of pause() or congestion, the peer has ended its stream, or
  // is gone: which of the two, only sending will tell. Called at most once. on_end() follows when
  // everything was received.
  virtual void on_leaving(TcpConnection& /*connection*/) {}

  // The bytes that wait to be sent have fallen from the high mark to the low mark. Not called after
  // finish().
  virtual void on_sendable(TcpConnection& /*connection*/) {}

  // The server shuts down: pending requests may still be answered, within the grace period.
  virtual void on_shut_down(TcpConnection& connection);  // finish()

  // The last call. 0 if both sides have finished, or we closed the connection; otherwise an errno,
  // such as ECONNRESET, or ETIMEDOUT after a timeout of TcpOptions.
  virtual void on_close(TcpConnection& /*connection*/, int /*error*/) noexcept {}
};

class TcpConnection {
 public:
  // Unique within a server, never reused.
  using Id = std::uint64_t;

  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;
  ~TcpConnection();

  [[nodiscard]] Id id() const noexcept { return id_; }
  [[nodiscard]] TcpServer& server() const noexcept { return server_; }

  // Sends the bytes, now or as the peer takes them; bytes that have to wait are copied. An error,
  // or no memory for the copy, ends the connection, but only after send() has returned. Does
  // nothing after finish() or after the end.
  void send(std::span<const std::byte> bytes);
  void send(std::string_view text) { send(std::as_bytes(std::span(text))); }

  // The number of bytes that wait to be sent.
  [[nodiscard]] std::size_t unsent() const noexcept;
  // True from the high mark until the low mark: a good moment to stop producing until
  // on_sendable().
  [[nodiscard]] bool is_congested() const noexcept { return congested_; }

  // From now on, no new connection displaces this one (TcpOptions::displace). At most three
  // quarters of the connections are kept, because newer ones would otherwise displace each other
  // before anything is received from them. Beyond that, it only counts as the newest of the others.
  void keep();

  // Stops receiving until resume(): on_data() is not called, and flow control slows the peer down.
  void pause();
  void resume();

  // Sends the waiting bytes, for as long as it takes except for TcpOptions::write_timeout; then
  // ends the stream to the peer, and closes the connection when the peer has ended too, or ten
  // seconds later. Bytes received after that are dropped. May call on_close(). Does nothing after a
  // send() that failed.
  void finish();

  // Closes immediately. Bytes that wait to be sent are lost; the peer then gets a reset instead of
  // an end. Calls on_close(), unless it was called already.
  void close() { end(0); }

 private:
  friend class TcpServer;
  friend class TcpLink;

  TcpConnection(TcpServer& server, Id id);
  void start(std::unique_ptr<TcpHandler> handler);

  // Called by the link; each may end the connection and thereby close the link.
  void received(std::span<const std::byte> bytes);
  void peer_ended();
  void sent(std::size_t bytes);
  void failed(int error) { end(error); }
  void leaving();
  // The next bytes to send; they do not move until sent() is called.
  [[nodiscard]] std::span<const std::byte> to_send() const noexcept;

  [[nodiscard]] bool may_show() const noexcept;
  [[nodiscard]] std::size_t show(std::span<const std::byte> bytes);
  void show_unused();
  void unused_changed();
  void show_rest();
  void go_on();
  void update_receiving();
  void queue(std::span<const std::byte> bytes);
  void finish_if_sent();
  void end(int error);
  void end_soon(int error);
  void displace();
  void drop();
  void release_buffers() noexcept;
  [[nodiscard]] std::size_t buffer_bytes() const noexcept;
  void buffers_changed();
  template <class Function>
  void later(Function function);
  // If a handler's call throws, the bytes passed to it count neither as used nor as unused.
  template <class Call>
  auto guarded(Call call) {
    try {
      return call();
    } catch (...) {
      end_soon(ECANCELED);
      throw;
    }
  }
  [[nodiscard]] EventLoop::Time now() const noexcept;
  [[nodiscard]] EventLoop::Time deadline() const noexcept;
  void set_timer();
  void check_timeouts();

  TcpServer& server_;
  const Id id_;
  std::unique_ptr<TcpLink> link_;
  std::unique_ptr<TcpHandler> handler_;

  // The bytes that wait to be sent: front_ from front_sent_ on, then back_. The link sends from
  // front_, which does not move while back_ grows.
  std::vector<std::byte> front_;
  std::size_t front_sent_ = 0;
  std::vector<std::byte> back_;
  std::vector<std::byte> unused_;  // bytes that on_data() has not used
  bool unused_is_due_ = false;     // pass it to on_data(), even if nothing follows
  bool resumed_ = false;           // while it was passed to on_data()

  std::size_t buffered_ = 0;  // buffer_bytes() when the server was last told
  bool kept_ = false;
  std::list<TcpConnection*>::iterator place_;  // in the server's list, unless it is kept

  EventLoop::Time last_received_;
  EventLoop::Time last_sent_;     // or when bytes began to wait
  EventLoop::Time shut_down_at_;  // when our stream was ended
  EventLoop::Time timer_deadline_ = EventLoop::Time::max();
  EventLoop::Timer timer_;

  std::optional<bool> receiving_;  // whether the link receives; nothing: it has not been told
  bool paused_ = false;            // by the handler
  bool congested_ = false;
  bool finishing_ = false;  // finish() was called
  bool shut_down_ = false;  // our stream was ended
  bool lost_ = false;       // bytes to send were lost
  bool overdue_ = false;    // a deadline seems to have passed
  bool peer_ended_ = false;
  bool end_told_ = false;      // on_end() was called
  bool leaving_told_ = false;  // on_leaving() was called
  bool ending_ = false;        // end() is scheduled
  bool ended_ = false;
};

}  // namespace fathom::rt
