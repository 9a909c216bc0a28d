// The TcpTransport of a Reactor.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "fathom/rt/net/reactor.h"
#include "tcp_transport.h"

namespace fathom::rt {

namespace {

// Limits per call of the loop, so that other connections get their turn.
constexpr std::size_t kReceiveBytes = std::size_t{64} << 10;
constexpr int kAcceptsAtOnce = 16;
constexpr int kSendsAtOnce = 4;

template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// A descriptor and its registration in a reactor.
class Watched {
 public:
  Watched(Reactor& reactor, int descriptor, Reactor::Callback callback)
      : reactor_(reactor), descriptor_(descriptor), callback_(std::move(callback)) {}
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { close(); }

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool is_closed() const { return descriptor_ < 0; }
  [[nodiscard]] bool wants(unsigned interest) const { return (interest_ & interest) != 0; }

  // Errors and hang-ups are reported even if nothing is wanted.
  void want(unsigned interest, bool wanted) {
    const unsigned next = wanted ? interest_ | interest : interest_ & ~interest;
    if (is_closed() || (is_heard_ && next == interest_)) return;
    if (is_heard_) {
      reactor_.change(registration_, next);
    } else {
      registration_ = reactor_.add(descriptor_, next, callback_);
    }
    is_heard_ = true;
    interest_ = next;
  }

  // Unregisters the descriptor until something is wanted.
  void rest() noexcept {
    if (is_heard_) reactor_.remove(registration_);
    is_heard_ = false;
    interest_ = 0;
  }

  void close() noexcept {
    if (is_closed()) return;
    rest();
    ::close(std::exchange(descriptor_, -1));
  }

 private:
  Reactor& reactor_;
  int descriptor_;
  const Reactor::Callback callback_;
  Reactor::Registration registration_;
  bool is_heard_ = false;
  unsigned interest_ = 0;
};

class Link final : public TcpLink {
 public:
  Link(Reactor& reactor, int descriptor, TcpConnection& connection, std::span<std::byte> buffer)
      : socket_(reactor, descriptor, [this](unsigned ready) { on_ready(ready); }),
        connection_(connection),
        buffer_(buffer) {}

  void close() noexcept override { socket_.close(); }
  void reset_at_close() noexcept override {
    const linger none{1, 0};
    static_cast<void>(::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none));
  }
  void receive(bool wanted) override { socket_.want(Reactor::kReadable, wanted); }
  void send_queued() override { socket_.want(Reactor::kWritable, true); }
  void shut_down() override { static_cast<void>(::shutdown(socket_.get(), SHUT_WR)); }

  std::ptrdiff_t send_now(std::span<const std::byte> bytes) override {
    const std::ptrdiff_t sent =
        retry([&] { return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (sent >= 0) return sent;
    return errno == EAGAIN ? 0 : -errno;
  }

 private:
  // Data that arrived before an error is received first.
  void on_ready(unsigned ready) {
    const bool is_over = (ready & (Reactor::kError | Reactor::kHangUp)) != 0;
    if ((ready & Reactor::kWritable) != 0 && !is_over) send_some();
    if (socket_.is_closed()) return;
    if (socket_.wants(Reactor::kReadable)) {
      receive_some();
    } else if (is_over) {
      hang_up();
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
        retry([&] { return ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0); });
    if (count > 0) {
      received(connection_, buffer_.first(static_cast<std::size_t>(count)));
    } else if (count == 0) {
      peer_ended(connection_);
    } else if (errno != EAGAIN) {
      failed(connection_, errno);
    }
  }

  // The connection does not want to receive now. Without an error, it may want to receive the rest
  // later: unregister until then, because a hang-up is reported again and again.
  void hang_up() {
    int error = 0;
    socklen_t size = sizeof error;
    static_cast<void>(::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size));
    if (error != 0) return failed(connection_, error);
    socket_.rest();
  }

  Watched socket_;
  TcpConnection& connection_;
  const std::span<std::byte> buffer_;
};

class Listener final : public TcpListener {
 public:
  Listener(Reactor& reactor, int descriptor, TcpServer& server)
      : socket_(reactor, descriptor, [this](unsigned) { accept_some(); }), server_(server) {}

  // A listener that was shut down reports a hang-up forever, which is ignored.
  void accept(bool wanted) override {
    wanted ? socket_.want(Reactor::kReadable, true) : socket_.rest();
  }

  int accept_now() override {
    const int descriptor = retry(
        [&] { return ::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
    return descriptor >= 0 ? descriptor : -errno;
  }

 private:
  void accept_some() {
    for (int i = 0; i < kAcceptsAtOnce && socket_.wants(Reactor::kReadable); ++i) {
      const int result = accept_now();
      if (result >= 0) {
        accepted(server_, result);
      } else if (result == -EAGAIN) {
        return;
      } else if (!concerns_one(-result)) {
        return accept_failed(server_, -result);
      }
    }
  }

  Watched socket_;
  TcpServer& server_;
};

class Transport final : public TcpTransport {
 public:
  explicit Transport(Reactor& reactor) : reactor_(reactor) {}

  std::unique_ptr<TcpLink> link(int descriptor, TcpConnection& connection) override {
    return make<Link>(descriptor, connection, std::span(*buffer_));
  }
  std::unique_ptr<TcpListener> listen(int descriptor, TcpServer& server) override {
    return make<Listener>(descriptor, server);
  }

 private:
  template <class T, class... Arguments>
  std::unique_ptr<T> make(int descriptor, Arguments&&... arguments) {
    try {
      return std::make_unique<T>(reactor_, descriptor, std::forward<Arguments>(arguments)...);
    } catch (const std::bad_alloc&) {  // constructors close the descriptor themselves
      ::close(descriptor);
      throw;
    }
  }

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
