// TcpConnection: one connection of a TcpServer; and TcpHandler, what a program does with it.
//
// Guarantees: what send() is given goes out in order and whole, or the connection ends. Where more
// waits to be sent than the high mark, nothing more is received until it has fallen to the low
// mark: who sends without reading stops itself, and takes no memory here. A connection on which
// nothing happens holds a few hundred bytes and no buffer.
//
// All belongs to the thread of the server's loop. A connection and its handler live until
// on_close() has returned; whoever comes later, with a result of another thread say, asks the
// server for the connection by its id.
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
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/rt/net/event_loop.h"

namespace fathom::rt {

class TcpConnection;
class TcpLink;
class TcpServer;

// What a call throws leaves the loop's run(), and the connection ends with ECANCELED.
class TcpHandler {
 public:
  virtual ~TcpHandler() = default;

  // What has come and was not used before. Returns how many bytes it used; the others are shown
  // again, with what follows, or after resume() or congestion. What is not used and reaches
  // TcpOptions::receive_limit ends the connection with EMSGSIZE.
  virtual std::size_t on_data(TcpConnection& connection, std::span<const std::byte> data) = 0;

  // The other side sends no more, but still receives. All that it sent was shown.
  virtual void on_end(TcpConnection& connection);  // finish()

  // What waits to be sent has fallen to the low mark, after it had passed the high mark. Not called
  // after finish().
  virtual void on_sendable(TcpConnection& /*connection*/) {}

  // The server shuts down: what is under way may still be answered, within the grace.
  virtual void on_shut_down(TcpConnection& connection);  // finish()

  // The last call. 0 where both sides have finished, or we closed it; otherwise an errno, such as
  // ECONNRESET, or ETIMEDOUT for what a TcpOptions timeout has ended.
  virtual void on_close(TcpConnection& /*connection*/, int /*error*/) noexcept {}
};

class TcpConnection {
 public:
  // Never given twice by a server.
  using Id = std::uint64_t;

  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;
  ~TcpConnection();

  [[nodiscard]] Id id() const noexcept { return id_; }
  [[nodiscard]] TcpServer& server() const noexcept { return server_; }

  // Sends the bytes, now or as the other side takes them; they are copied where they have to wait.
  // An error, or no memory for the copy, ends the connection, but not before send() has returned.
  // After finish(), or once it has ended, nothing happens.
  void send(std::span<const std::byte> bytes);
  void send(std::string_view text) { send(std::as_bytes(std::span(text))); }

  // Bytes that wait to be sent.
  [[nodiscard]] std::size_t unsent() const noexcept;
  // Whether they have passed the high mark, and not fallen to the low mark since: a good moment to
  // stop producing until on_sendable().
  [[nodiscard]] bool is_congested() const noexcept { return congested_; }

  // From now on nothing is received, until resume(): on_data() is not called, and the other side
  // is slowed down.
  void pause();
  void resume();

  // Sends what waits, however long that takes but for TcpOptions::write_timeout; then tells the
  // other side that no more comes, and closes once that has ended, too, or ten seconds later. What
  // it still sends is dropped. May call on_close(). Nothing happens after a send() that failed.
  void finish();

  // Closes at once. What waits to be sent is lost, which the other side is told by a reset instead
  // of an end. Calls on_close(), unless it was called already.
  void close() { end(0); }

 private:
  friend class TcpServer;
  friend class TcpLink;

  TcpConnection(TcpServer& server, Id id);
  void start(std::unique_ptr<TcpHandler> handler);

  // From the link; each may end the connection, and so close the link.
  void received(std::span<const std::byte> bytes);
  void peer_ended();
  void sent(std::size_t bytes);
  void failed(int error) { end(error); }
  // The next bytes to send, which stay where they are until sent() has been told of them.
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
  template <class Function>
  void later(Function function);
  // What a call of the handler throws leaves the bytes that it was shown neither used nor unused.
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

  // What waits to be sent: of front_ from front_sent_ on, then back_. The link sends from front_,
  // which does not move while back_ grows.
  std::vector<std::byte> front_;
  std::size_t front_sent_ = 0;
  std::vector<std::byte> back_;
  std::vector<std::byte> unused_;  // what on_data() has not used
  bool unused_is_due_ = false;     // it is to be shown, though nothing follows
  bool resumed_ = false;           // while it was shown

  EventLoop::Time last_received_;
  EventLoop::Time last_sent_;     // or since when something waits
  EventLoop::Time shut_down_at_;  // the other side was told that no more comes
  EventLoop::Time timer_deadline_ = EventLoop::Time::max();
  EventLoop::Timer timer_;

  bool receiving_ = false;  // the link receives
  bool paused_ = false;     // by the handler
  bool congested_ = false;
  bool finishing_ = false;  // finish() was called
  bool shut_down_ = false;  // and the other side has been told
  bool lost_ = false;       // something that was to be sent
  bool overdue_ = false;    // a deadline has passed, as far as is known
  bool peer_ended_ = false;
  bool end_told_ = false;  // by on_end()
  bool ending_ = false;    // soon
  bool ended_ = false;
};

}  // namespace fathom::rt
