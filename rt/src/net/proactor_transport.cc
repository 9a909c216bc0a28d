// The TcpTransport of a Proactor.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "fathom/rt/net/proactor.h"
#include "tcp_transport.h"

namespace fathom::rt {

namespace {

// Sends of at least this size get their own system call and are not copied. Smaller ones are
// submitted together with everything else of the turn.
constexpr std::size_t kSendAtOnce = std::size_t{4} << 10;

template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class Link final : public TcpLink {
 public:
  Link(Proactor& proactor, int descriptor, TcpConnection& connection)
      : proactor_(proactor), descriptor_(descriptor), connection_(connection) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() override { close(); }

  void reset_at_close() noexcept override {
    const linger none{1, 0};
    static_cast<void>(::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &none, sizeof none));
  }

  void close() noexcept override {
    if (is_closed()) return;
    const int descriptor = std::exchange(descriptor_, -1);
    proactor_.cancel(show_);
    // Both are submitted in one system call.
    proactor_.cancel(receive_);
    proactor_.cancel(watch_);
    proactor_.abandon(send_);
    proactor_.abandon(receive_);
    proactor_.abandon(watch_);
    ::close(descriptor);
  }

  // Notices that the connection is gone even while nothing is received.
  void watch() {
    if (watching_ || is_closed()) return;
    watch_ = proactor_.ready(descriptor_, 0, [this](const auto& done) { on_gone(done.result); });
    watching_ = true;
  }

  void receive(bool wanted) override {
    wanted_ = wanted;
    // A pending receive brings at most one buffer, so it need not be cancelled.
    if (!wanted || receiving_) return;
    has_kept() ? show_later() : start_receiving();
  }

  std::ptrdiff_t send_now(std::span<const std::byte> bytes) override {
    if (bytes.size() < kSendAtOnce) return 0;
    const std::ptrdiff_t sent = retry([&] {
      return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent >= 0) return sent;
    return errno == EAGAIN ? 0 : -errno;
  }

  void send_queued() override {
    const std::span<const std::byte> bytes = to_send(connection_);
    if (sending_ || is_closed() || bytes.empty()) return;
    send_ = proactor_.send(descriptor_, bytes, [this](const auto& done) { on_sent(done.result); });
    sending_ = true;
  }

  void shut_down() override { static_cast<void>(::shutdown(descriptor_, SHUT_WR)); }

 private:
  [[nodiscard]] bool is_closed() const { return descriptor_ < 0; }
  [[nodiscard]] bool has_kept() const { return !kept_.empty() || end_kept_; }

  void on_sent(int result) {
    sending_ = false;
    if (result < 0) return failed(connection_, -result);
    try {
      sent(connection_, static_cast<std::size_t>(result));
    } catch (...) {
      send_queued();
      throw;
    }
    send_queued();
  }

  // One buffer at a time, so that the kernel does not receive more than is wanted.
  void start_receiving() {
    if (std::exchange(watching_, false)) proactor_.abandon(watch_);
    receive_ = proactor_.receive_once(descriptor_, [this](const auto& done) { on_received(done); });
    receiving_ = true;
  }

  void on_received(const Proactor::Completion& done) {
    receiving_ = false;
    if (done.result < 0) return failed(connection_, -done.result);
    if (done.result > 0) return wanted_ ? show(done.bytes) : keep(done.bytes);
    end_kept_ = true;
    watch();
    if (wanted_) tell_end();
  }

  void show(std::span<const std::byte> bytes) {
    try {
      received(connection_, bytes);
    } catch (...) {
      go_on();
      throw;
    }
    go_on();
  }

  void go_on() {
    if (receiving_ || is_closed()) return;
    wanted_ ? start_receiving() : watch();
  }

  // Without an error, the peer has ended or hung up. The next receive reports that, because data
  // may come before it.
  void on_gone(int result) {
    int error = 0;
    socklen_t size = sizeof error;
    static_cast<void>(::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size));
    if (result < 0) error = -result;
    if (error != 0) failed(connection_, error);
  }

  void keep(std::span<const std::byte> bytes) {
    try {
      kept_.assign(bytes.begin(), bytes.end());
    } catch (const std::bad_alloc&) {
      // Later bytes would leave a gap.
      return failed(connection_, ENOMEM);
    }
    watch();
  }

  // Not within the call that wants the bytes.
  void show_later() {
    proactor_.cancel(show_);
    show_ = proactor_.at(proactor_.now(), [this] { show_kept(); });
  }

  void show_kept() {
    if (!wanted_) return;
    if (kept_.empty()) return tell_end();
    const std::vector<std::byte> bytes = std::exchange(kept_, {});
    show(bytes);
  }

  // The link may be closed after the first call.
  void tell_end() {
    if (std::exchange(end_kept_, false)) peer_ended(connection_);
  }

  Proactor& proactor_;
  int descriptor_;
  TcpConnection& connection_;

  bool wanted_ = false;     // the connection wants to receive
  bool receiving_ = false;  // receive_ has not ended
  bool sending_ = false;
  bool watching_ = false;  // watch() is in progress, while it does not receive
  Proactor::Operation receive_;
  Proactor::Operation watch_;
  Proactor::Operation send_;

  // What arrived while it was not wanted: a buffer, or the end. While it is not empty, nothing is
  // received.
  std::vector<std::byte> kept_;
  bool end_kept_ = false;
  EventLoop::Timer show_;
};

class Listener final : public TcpListener {
 public:
  Listener(Proactor& proactor, int descriptor, TcpServer& server)
      : proactor_(proactor), descriptor_(descriptor), server_(server) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() override {
    proactor_.cancel(show_);
    proactor_.abandon(accept_);
    for (const int connection : kept_) ::close(connection);
    ::close(descriptor_);
  }

  void accept(bool wanted) override {
    if (std::exchange(wanted_, wanted) == wanted) return;
    if (!wanted) {
      proactor_.cancel(accept_);
    } else if (!kept_.empty()) {
      show_later();
    } else if (!accepting_) {
      start_accepting();
    }
  }

  int accept_now() override {
    const int descriptor = retry(
        [&] { return ::accept4(descriptor_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
    return descriptor >= 0 ? descriptor : -errno;
  }

 private:
  void start_accepting() {
    accept_ = proactor_.accept(descriptor_, [this](const auto& done) { on_accepted(done); });
    accepting_ = true;
  }

  void on_accepted(const Proactor::Completion& done) {
    accepting_ = !done.is_last;
    // Also after an error, unless the server no longer wants connections.
    if (done.is_last && wanted_ && kept_.empty()) start_accepting();
    if (done.result >= 0) {
      if (!wanted_ || !kept_.empty()) return keep(done.result);
      accepted(server_, done.result);
    } else if (wanted_ && done.result != -ECANCELED && !concerns_one(-done.result)) {
      accept_failed(server_, -done.result);
    }
  }

  void keep(int connection) {
    try {
      kept_.push_back(connection);
    } catch (const std::bad_alloc&) {
      ::close(connection);
    }
  }

  void show_later() {
    proactor_.cancel(show_);
    show_ = proactor_.at(proactor_.now(), [this] { show_kept(); });
  }

  // One per turn: the server may not have room for more.
  void show_kept() {
    if (!wanted_ || kept_.empty()) return;
    const int connection = kept_.front();
    kept_.pop_front();
    if (!kept_.empty()) {
      show_later();
    } else if (!accepting_) {
      start_accepting();
    }
    accepted(server_, connection);
  }

  Proactor& proactor_;
  const int descriptor_;
  TcpServer& server_;
  bool wanted_ = false;
  bool accepting_ = false;  // accept_ has not ended
  Proactor::Operation accept_;
  std::deque<int> kept_;  // connections that arrived while not wanted
  EventLoop::Timer show_;
};

class Transport final : public TcpTransport {
 public:
  explicit Transport(Proactor& proactor) : proactor_(proactor) {}

  std::unique_ptr<TcpLink> link(int descriptor, TcpConnection& connection) override {
    auto link = take<Link>(descriptor, connection);
    link->watch();
    return link;
  }
  std::unique_ptr<TcpListener> listen(int descriptor, TcpServer& server) override {
    return take<Listener>(descriptor, server);
  }

 private:
  template <class Taker, class Owner>
  std::unique_ptr<Taker> take(int descriptor, Owner& owner) {
    try {
      return std::make_unique<Taker>(proactor_, descriptor, owner);
    } catch (const std::bad_alloc&) {
      ::close(descriptor);
      throw;
    }
  }

  Proactor& proactor_;
};

}  // namespace

std::unique_ptr<TcpTransport> Proactor::make_tcp_transport() {
  return std::make_unique<Transport>(*this);
}

}  // namespace fathom::rt
