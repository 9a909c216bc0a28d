// The TcpTransport of a Proactor.

#include <cerrno>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/rt/net/proactor.h"
#include "net/tcp_transport.h"

namespace fathom::rt {

namespace {

// Sends of at least this size get their own system call and are not copied. Smaller ones are
// submitted together with everything else of the turn.
constexpr std::size_t kSendAtOnce = std::size_t{4} << 10;

class Link final : public TcpLink {
 public:
  Link(Proactor& proactor, base::Fd socket, TcpConnection& connection)
      : proactor_(proactor), socket_(std::move(socket)), connection_(connection) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() override { close(); }

  void close() noexcept override {
    if (is_closed()) return;
    const base::Fd closed = std::move(socket_);
    proactor_.cancel(show_);
    // Both are submitted in one system call.
    proactor_.cancel(receive_);
    proactor_.cancel(watch_);
    proactor_.abandon(send_);
    proactor_.abandon(receive_);
    proactor_.abandon(watch_);
  }

  // Notices that the connection is gone even while nothing is received.
  void watch() {
    if (watching_ || is_closed()) return;
    watch_ = proactor_.ready(socket_.get(), 0, [this](const auto& done) { on_gone(done.result); });
    watching_ = true;
  }

  void receive(bool wanted) override {
    wanted_ = wanted;
    // A pending receive brings at most one buffer, so it need not be cancelled.
    if (!wanted || receiving_) return;
    has_kept() ? show_later() : start_receiving();
  }

  std::ptrdiff_t send_now(std::span<const std::byte> bytes) override {
    return bytes.size() < kSendAtOnce ? 0 : TcpLink::send_now(bytes);
  }

  void send_queued() override {
    const std::span<const std::byte> bytes = to_send(connection_);
    if (sending_ || is_closed() || bytes.empty()) return;
    send_ =
        proactor_.send(socket_.get(), bytes, [this](const auto& done) { on_sent(done.result); });
    sending_ = true;
  }

  // sending_ stays set.
  void stop_sending() noexcept override { proactor_.abandon(send_); }

 private:
  [[nodiscard]] int socket() const override { return socket_.get(); }
  [[nodiscard]] bool is_closed() const { return !socket_; }
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
    receive_ =
        proactor_.receive_once(socket_.get(), [this](const auto& done) { on_received(done); });
    receiving_ = true;
  }

  void on_received(const Proactor::Completion& done) {
    receiving_ = false;
    if (done.result < 0) return failed(connection_, -done.result);
    if (done.result > 0) return wanted_ ? show(done.bytes) : keep(done.bytes);
    end_kept_ = true;
    watch();
    wanted_ ? tell_end() : leaving(connection_);
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
    const int error = result < 0 ? -result : error_of_socket();
    error != 0 ? failed(connection_, error) : leaving(connection_);
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
  base::Fd socket_;
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
  Listener(Proactor& proactor, base::Fd socket, TcpServer& server)
      : proactor_(proactor), socket_(std::move(socket)), server_(server) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() override {
    proactor_.cancel(show_);
    proactor_.abandon(accept_);
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

 private:
  [[nodiscard]] int socket() const override { return socket_.get(); }

  void start_accepting() {
    accept_ = proactor_.accept(socket_.get(), [this](const auto& done) { on_accepted(done); });
    accepting_ = true;
  }

  void on_accepted(const Proactor::Completion& done) {
    accepting_ = !done.is_last;
    // Also after an error, unless the server no longer wants connections.
    if (done.is_last && wanted_ && kept_.empty()) start_accepting();
    if (base::Fd connection(done.result); connection) {
      if (!wanted_ || !kept_.empty()) return keep(std::move(connection));
      accepted(server_, std::move(connection));
    } else if (wanted_ && done.result != -ECANCELED && !concerns_one(-done.result)) {
      accept_failed(server_, -done.result);
    }
  }

  void keep(base::Fd connection) {
    try {
      kept_.push_back(std::move(connection));
    } catch (const std::bad_alloc&) {  // closes the connection
    }
  }

  void show_later() {
    proactor_.cancel(show_);
    show_ = proactor_.at(proactor_.now(), [this] { show_kept(); });
  }

  // One per turn: the server may not have room for more.
  void show_kept() {
    if (!wanted_ || kept_.empty()) return;
    base::Fd connection = std::move(kept_.front());
    kept_.pop_front();
    if (!kept_.empty()) {
      show_later();
    } else if (!accepting_) {
      start_accepting();
    }
    accepted(server_, std::move(connection));
  }

  Proactor& proactor_;
  const base::Fd socket_;
  TcpServer& server_;
  bool wanted_ = false;
  bool accepting_ = false;  // accept_ has not ended
  Proactor::Operation accept_;
  std::deque<base::Fd> kept_;  // connections that arrived while not wanted
  EventLoop::Timer show_;
};

class Transport final : public TcpTransport {
 public:
  explicit Transport(Proactor& proactor) : proactor_(proactor) {}

  std::unique_ptr<TcpLink> link(base::Fd socket, TcpConnection& connection) override {
    auto link = std::make_unique<Link>(proactor_, std::move(socket), connection);
    link->watch();
    return link;
  }
  std::unique_ptr<TcpListener> listen(base::Fd socket, TcpServer& server) override {
    return std::make_unique<Listener>(proactor_, std::move(socket), server);
  }

 private:
  Proactor& proactor_;
};

}  // namespace

std::unique_ptr<TcpTransport> Proactor::make_tcp_transport() {
  return std::make_unique<Transport>(*this);
}

}  // namespace fathom::rt
