// TcpConnection: sending, back pressure, receiving, ending, and timeouts.

#include "fathom/rt/net/tcp_connection.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/net/tcp_server.h"
#include "net/tcp_transport.h"

namespace fathom::rt {

namespace {

// How long to wait for the peer to end after our stream has ended.
constexpr std::chrono::seconds kLinger{10};
// A grace period after a deadline, to handle events that came before it: the whole program may have
// been stopped.
constexpr std::chrono::milliseconds kSecondLook{20};

// An assignment of {} would keep the memory.
void release(std::vector<std::byte>& buffer) noexcept {
  std::vector<std::byte>().swap(buffer);
}

}  // namespace

void TcpHandler::on_end(TcpConnection& connection) {
  connection.finish();
}

void TcpHandler::on_shut_down(TcpConnection& connection) {
  connection.finish();
}

TcpConnection::TcpConnection(TcpServer& server, Id id)
    : server_(server),
      id_(id),
      last_received_(server.loop().now()),
      last_sent_(server.loop().now()) {}

TcpConnection::~TcpConnection() = default;

void TcpConnection::start(std::unique_ptr<TcpHandler> handler) {
  handler_ = std::move(handler);
  update_receiving();
  set_timer();
}

// ---- Sending

void TcpConnection::send(std::span<const std::byte> bytes) {
  if (ended_ || ending_ || finishing_ || bytes.empty()) return;
  if (to_send().empty()) {
    const std::ptrdiff_t result = link_->send_now(bytes);
    if (result < 0) return end_soon(static_cast<int>(-result));
    const auto done = static_cast<std::size_t>(result);
    server_.stats_.bytes_sent += done;
    last_sent_ = now();
    if (done == bytes.size()) return;
    bytes = bytes.subspan(done);
  }
  try {
    queue(bytes);
  } catch (const std::bad_alloc&) {
    lost_ = true;
    end_soon(ENOMEM);
  }
}

void TcpConnection::queue(std::span<const std::byte> bytes) {
  const bool is_first = to_send().empty();
  if (is_first) last_sent_ = now();
  std::vector<std::byte>& to = is_first ? front_ : back_;
  to.insert(to.end(), bytes.begin(), bytes.end());
  if (is_first) {
    try {
      link_->send_queued();
    } catch (const base::SystemError& error) {
      end_soon(error.code());
    }
  }
  if (unsent() > server_.options_.high_mark && !congested_) {
    congested_ = true;
    update_receiving();
  }
  set_timer();
  buffers_changed();
}

std::size_t TcpConnection::unsent() const noexcept {
  return front_.size() - front_sent_ + back_.size();
}

std::span<const std::byte> TcpConnection::to_send() const noexcept {
  return std::span(front_).subspan(front_sent_);
}

void TcpConnection::sent(std::size_t bytes) {
  server_.stats_.bytes_sent += bytes;
  last_sent_ = now();
  front_sent_ += bytes;
  if (front_sent_ == front_.size()) {
    // A connection without bytes to send holds no memory for them.
    front_ = std::exchange(back_, {});
    front_sent_ = 0;
    buffers_changed();
  }
  if (congested_ && unsent() <= server_.options_.low_mark) {
    congested_ = false;
    go_on();
    if (!finishing_ && !ending_) guarded([&] { handler_->on_sendable(*this); });
  }
  finish_if_sent();
}

void TcpConnection::finish() {
  if (ended_ || ending_ || finishing_) return;
  finishing_ = true;
  server_.finishing(*this);
  release(unused_);
  buffers_changed();
  update_receiving();
  finish_if_sent();
}

void TcpConnection::finish_if_sent() {
  if (ended_ || ending_ || !finishing_ || shut_down_ || unsent() > 0) return;
  shut_down_ = true;
  if (peer_ended_) return end(0);
  shut_down_at_ = now();
  link_->shut_down();
  set_timer();
}

// ---- Receiving

void TcpConnection::received(std::span<const std::byte> bytes) {
  ++server_.stats_.receives;
  server_.stats_.bytes_received += bytes.size();
  last_received_ = now();
  if (finishing_ || ending_) return;
  if (!unused_.empty()) {
    unused_.insert(unused_.end(), bytes.begin(), bytes.end());
    return show_unused();
  }
  const std::size_t used = show(bytes);
  if (used == bytes.size() || ended_ || finishing_) return;
  unused_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end());
  unused_changed();
}

bool TcpConnection::may_show() const noexcept {
  return !ended_ && !ending_ && !finishing_ && !paused_ && !congested_;
}

// Passes bytes to the handler; returns how many it used.
std::size_t TcpConnection::show(std::span<const std::byte> bytes) {
  unused_is_due_ = false;
  resumed_ = false;
  return std::min(guarded([&] { return handler_->on_data(*this, bytes); }), bytes.size());
}

void TcpConnection::show_unused() {
  std::vector<std::byte> bytes = std::exchange(unused_, {});
  buffers_changed();
  const std::size_t used = show(bytes);
  if (used == bytes.size() || ended_ || finishing_) return;
  if (used > 0) bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(used));
  unused_ = std::move(bytes);
  unused_changed();
}

void TcpConnection::unused_changed() {
  if (unused_.size() >= server_.options_.receive_limit) return end(EMSGSIZE);
  buffers_changed();
  // The handler called resume() before it returned.
  if (resumed_) go_on();
}

// Passes on what does not come from the link; the end comes after everything else.
void TcpConnection::show_rest() {
  if (may_show() && unused_is_due_) show_unused();
  if (!may_show() || !peer_ended_ || end_told_) return;
  end_told_ = true;
  guarded([&] { handler_->on_end(*this); });
}

void TcpConnection::peer_ended() {
  peer_ended_ = true;
  update_receiving();
  if (shut_down_) return end(0);
  show_rest();
}

void TcpConnection::leaving() {
  if (handler_ == nullptr || ended_ || ending_ || finishing_) return;
  if (!std::exchange(leaving_told_, true)) guarded([&] { handler_->on_leaving(*this); });
}

void TcpConnection::pause() {
  paused_ = true;
  update_receiving();
}

void TcpConnection::resume() {
  paused_ = false;
  go_on();
}

// Continues after a pause or congestion.
void TcpConnection::go_on() {
  update_receiving();
  resumed_ = true;
  unused_is_due_ = !unused_.empty();
  if (unused_is_due_ || peer_ended_) later([](TcpConnection& self) { self.show_rest(); });
}

// While the connection finishes, it receives in order to see the end.
void TcpConnection::update_receiving() {
  const bool wanted =
      !ended_ && handler_ != nullptr && !peer_ended_ && (finishing_ || (!paused_ && !congested_));
  if (wanted == receiving_) return;
  receiving_ = wanted;
  if (ended_) return;
  try {
    link_->receive(wanted);
  } catch (const base::SystemError& error) {
    end_soon(error.code());
  }
}

// ---- Limits of the server

void TcpConnection::keep() {
  if (!ended_ && !kept_) server_.keep(*this);
}

// Reset, so that neither side has to remember it.
void TcpConnection::displace() {
  link_->reset_at_close();
  end(ECONNABORTED);
}

// Ends it later, because calls of other connections may be in progress, but frees its buffers now.
void TcpConnection::drop() {
  end_soon(ENOBUFS);
  lost_ = true;
  link_->stop_sending();
  release_buffers();
}

void TcpConnection::release_buffers() noexcept {
  release(front_);
  front_sent_ = 0;
  release(back_);
  release(unused_);
}

std::size_t TcpConnection::buffer_bytes() const noexcept {
  return front_.capacity() + back_.capacity() + unused_.capacity();
}

void TcpConnection::buffers_changed() {
  if (!ended_ && !ending_) server_.buffers_changed(*this);
}

// ---- The end

void TcpConnection::end(int error) {
  if (ended_) return;
  ended_ = true;
  server_.loop().cancel(timer_);
  // A peer that got a part must not take it for the whole.
  if ((lost_ || unsent() > 0) && !server_.in_child()) link_->reset_at_close();
  link_->close();
  release_buffers();
  server_.closed(*this);
  if (handler_ != nullptr) handler_->on_close(*this, error);
}

void TcpConnection::end_soon(int error) {
  ending_ = true;
  later([error](TcpConnection& self) { self.end(error); });
}

// Runs the function as a job of the loop, if the connection still exists then.
template <class Function>
void TcpConnection::later(Function function) {
  server_.loop().post([server = std::weak_ptr(server_.self_), id = id_, function] {
    const std::shared_ptr<TcpServer*> alive = server.lock();
    TcpConnection* const self = alive != nullptr ? (*alive)->find(id) : nullptr;
    if (self != nullptr) function(*self);
  });
}

// The loop's time may be old if the turn began long ago, which only matters if there are timeouts.
EventLoop::Time TcpConnection::now() const noexcept {
  const TcpOptions& options = server_.options_;
  const bool matters = options.idle_timeout.count() > 0 || options.write_timeout.count() > 0;
  return matters ? base::monotonic_now() : server_.loop().now();
}

EventLoop::Time TcpConnection::deadline() const noexcept {
  const TcpOptions& options = server_.options_;
  EventLoop::Time first = EventLoop::Time::max();
  if (options.idle_timeout.count() > 0) {
    first = base::deadline_after(std::max(last_received_, last_sent_), options.idle_timeout);
  }
  if (options.write_timeout.count() > 0 && unsent() > 0) {
    first = std::min(first, base::deadline_after(last_sent_, options.write_timeout));
  }
  if (shut_down_) first = std::min(first, shut_down_at_ + kLinger);
  return first;
}

// Events on the connection change its deadline but not the timer, which checks again when it is
// due.
void TcpConnection::set_timer() {
  const EventLoop::Time next = deadline();
  if (ended_ || next >= timer_deadline_) return;
  EventLoop& loop = server_.loop();
  loop.cancel(timer_);
  timer_ = loop.at(next, [this] { check_timeouts(); });
  timer_deadline_ = next;
}

void TcpConnection::check_timeouts() {
  timer_deadline_ = EventLoop::Time::max();
  EventLoop& loop = server_.loop();
  if (deadline() > base::monotonic_now()) {
    overdue_ = false;
    return set_timer();
  }
  if (std::exchange(overdue_, true)) return end(shut_down_ ? 0 : ETIMEDOUT);
  timer_ = loop.after(kSecondLook, [this] { check_timeouts(); });
}

}  // namespace fathom::rt
