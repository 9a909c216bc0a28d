// The TcpTransport of a Reactor.

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"
#include "fathom/rt/net/reactor.h"
#include "net/tcp_transport.h"

namespace fathom::rt {

namespace {

// Limits per call of the loop, so that other connections get their turn.
constexpr std::size_t kReceiveBytes = std::size_t{64} << 10;
constexpr int kAcceptsAtOnce = 256;
constexpr int kSendsAtOnce = 4;

// A descriptor and its registration in a reactor.
class Watched {
 public:
  Watched(Reactor& reactor, base::Fd descriptor, Reactor::Callback callback)
      : reactor_(reactor), descriptor_(std::move(descriptor)), callback_(std::move(callback)) {}
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { close(); }

  [[nodiscard]] int get() const { return descriptor_.get(); }
  [[nodiscard]] bool is_closed() const { return !descriptor_; }
  [[nodiscard]] bool wants(unsigned interest) const { return (interest_ & interest) != 0; }

  // Errors and hang-ups are reported even if nothing is wanted.
  void want(unsigned interest, bool wanted) {
    want(wanted ? interest_ | interest : interest_ & ~interest);
  }
  void want(unsigned next) {
    if (is_closed() || (is_heard_ && next == interest_)) return;
    if (is_heard_) {
      reactor_.change(registration_, next);
    } else {
      registration_ =
          reactor_.add(descriptor_.get(), next, [this](unsigned ready) { callback_(ready); });
    }
    is_heard_ = true;
    interest_ = next;
  }
  [[nodiscard]] unsigned interest() const { return interest_; }

  // Unregisters the descriptor until something is wanted.
  void rest() noexcept {
    if (is_heard_) reactor_.remove(registration_);
    is_heard_ = false;
    interest_ = 0;
  }

  void close() noexcept {
    if (is_closed()) return;
    rest();
    descriptor_.reset();
  }

 private:
  Reactor& reactor_;
  base::Fd descriptor_;
  Reactor::Callback callback_;
  Reactor::Registration registration_;
  bool is_heard_ = false;
  unsigned interest_ = 0;
};

class Link final : public TcpLink {
 public:
  Link(Reactor& reactor, base::Fd socket, TcpConnection& connection, std::span<std::byte> buffer)
      : socket_(reactor, std::move(socket), [this](unsigned ready) { on_ready(ready); }),
        connection_(connection),
        buffer_(buffer) {}

  void close() noexcept override { socket_.close(); }
  // While it does not receive, it hears once that the peer leaves.
  void receive(bool wanted) override {
    const unsigned others = socket_.interest() & Reactor::kWritable;
    const unsigned end = leaving_told_ ? 0 : Reactor::kEnded;
    socket_.want(others | (wanted ? Reactor::kReadable : end));
  }
  void receive_now() override {
    if (!socket_.is_closed() && socket_.wants(Reactor::kReadable)) receive_some();
  }
  void send_queued() override { socket_.want(Reactor::kWritable, true); }

 private:
  [[nodiscard]] int socket() const override { return socket_.get(); }

  // Data that arrived before an error is received first.
  void on_ready(unsigned ready) {
    const bool is_over = (ready & (Reactor::kError | Reactor::kHangUp)) != 0;
    if ((ready & Reactor::kWritable) != 0 && !is_over) send_some();
    if (socket_.is_closed()) return;
    if (socket_.wants(Reactor::kReadable)) {
      receive_some();
    } else if (is_over) {
      hang_up();
    } else if ((ready & Reactor::kEnded) != 0) {
      peer_leaves();
    }
  }

  void send_some() {
    for (int i = 0; i < kSendsAtOnce && !socket_.is_closed(); ++i) {
      const std::span<const std::byte> bytes = to_send(connection_);
      if (bytes.empty()) return socket_.want(Reactor::kWritable, false);
      const std::ptrdiff_t result = send_now(bytes);
      if (result < 0) return failed(connection_, static_cast<int>(-result));
      if (result == 0) return;
      sent(connection_, static_cast<std::size_t>(result));
    }
  }

  void receive_some() {
    const std::ptrdiff_t count =
        base::retry([&] { return ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0); });
    if (count > 0) {
      received(connection_, buffer_.first(static_cast<std::size_t>(count)));
    } else if (count == 0) {
      leaving_told_ = true;
      peer_ended(connection_);
    } else if (errno != EAGAIN) {
      failed(connection_, errno);
    }
  }

  // The connection does not want to receive now. Without an error, sending may still fail; if
  // nothing is left to send, the connection may want to receive the rest later: unregister until
  // then, because a hang-up is reported again and again.
  void hang_up() {
    const int error = error_of_socket();
    if (error != 0) return failed(connection_, error);
    send_some();
    if (!socket_.wants(Reactor::kWritable)) socket_.rest();
    peer_leaves();
  }

  // Told once, because it is reported again and again.
  void peer_leaves() {
    if (socket_.wants(Reactor::kEnded)) socket_.want(Reactor::kEnded, false);
    if (!std::exchange(leaving_told_, true)) leaving(connection_);
  }

  Watched socket_;
  TcpConnection& connection_;
  const std::span<std::byte> buffer_;
  bool leaving_told_ = false;
};

class Listener final : public TcpListener {
 public:
  Listener(Reactor& reactor, base::Fd socket, TcpServer& server)
      : socket_(reactor, std::move(socket), [this](unsigned) { accept_some(); }), server_(server) {}

  // A listener that was shut down reports a hang-up forever, which is ignored.
  void accept(bool wanted) override {
    wanted ? socket_.want(Reactor::kReadable, true) : socket_.rest();
  }

 private:
  [[nodiscard]] int socket() const override { return socket_.get(); }

  void accept_some() {
    for (int i = 0; i < kAcceptsAtOnce && socket_.wants(Reactor::kReadable); ++i) {
      const int result = accept_now();
      if (result >= 0) {
        accepted(server_, base::Fd(result));
      } else if (result == -EAGAIN) {
        return;
      } else if (!concerns_one(-result)) {
        const bool exhausted = result == -EMFILE || result == -ENFILE;
        if (!exhausted || is_any_waiting()) accept_failed(server_, -result);
        return;
      }
    }
  }

  // The kernel reports that descriptors have run out even if there is nothing to accept.
  [[nodiscard]] bool is_any_waiting() const {
    pollfd listener{socket_.get(), POLLIN, 0};
    return ::poll(&listener, 1, 0) > 0;
  }

  Watched socket_;
  TcpServer& server_;
};

class Transport final : public TcpTransport {
 public:
  explicit Transport(Reactor& reactor) : reactor_(reactor) {}

  std::unique_ptr<TcpLink> link(base::Fd socket, TcpConnection& connection) override {
    return std::make_unique<Link>(reactor_, std::move(socket), connection, std::span(*buffer_));
  }
  std::unique_ptr<TcpListener> listen(base::Fd socket, TcpServer& server) override {
    return std::make_unique<Listener>(reactor_, std::move(socket), server);
  }

 private:
  Reactor& reactor_;
  // One buffer for all connections: bytes that a handler does not use are copied.
  const std::unique_ptr<std::array<std::byte, kReceiveBytes>> buffer_ =
      std::make_unique<std::array<std::byte, kReceiveBytes>>();
};

}  // namespace

std::unique_ptr<TcpTransport> Reactor::make_tcp_transport() {
  return std::make_unique<Transport>(*this);
}

}  // namespace fathom::rt
