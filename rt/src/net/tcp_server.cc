// TcpServer: listening sockets, accepting, and shutting down.

#include "fathom/rt/net/tcp_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <tuple>
#include <utility>

#include "fathom/base/error.h"
#include "net/tcp_transport.h"

namespace fathom::rt {

namespace {

// The pause after accepting failed, for example for lack of memory.
constexpr std::chrono::milliseconds kAcceptPause{100};

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address address_of(const std::string& text, std::uint16_t port) {
  Address address;
  sockaddr_in ip4 = {};
  sockaddr_in6 ip6 = {};
  if (::inet_pton(AF_INET, text.c_str(), &ip4.sin_addr) == 1) {
    ip4.sin_family = AF_INET;
    ip4.sin_port = htons(port);
    address.size = sizeof ip4;
    std::memcpy(&address.storage, &ip4, sizeof ip4);
  } else if (::inet_pton(AF_INET6, text.c_str(), &ip6.sin6_addr) == 1) {
    ip6.sin6_family = AF_INET6;
    ip6.sin6_port = htons(port);
    address.size = sizeof ip6;
    std::memcpy(&address.storage, &ip6, sizeof ip6);
  } else {
    throw base::Error("'" + text + "' is not a numeric address such as 127.0.0.1 or ::1");
  }
  return address;
}

std::uint16_t port_of(int descriptor) {
  Address address;
  address.size = sizeof address.storage;
  if (::getsockname(descriptor, address.get(), &address.size) != 0) {
    throw base::SystemError("cannot determine the port", errno);
  }
  const auto family = address.storage.ss_family;
  if (family != AF_INET && family != AF_INET6) return 0;
  sockaddr_in ip4 = {};  // the port has the same offset in an IPv6 address
  std::memcpy(&ip4, &address.storage, sizeof ip4);
  return ntohs(ip4.sin_port);
}

void set_option(int descriptor, int level, int option) {
  const int on = 1;
  if (::setsockopt(descriptor, level, option, &on, sizeof on) != 0) {
    throw base::SystemError("cannot prepare a socket", errno);
  }
}

base::Fd listen_on(const TcpOptions& options) {
  if (options.listener >= 0) {
    base::Fd socket(options.listener);
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) {
      throw base::SystemError("cannot use the listening socket", errno);
    }
    if (listens == 0) throw base::Error("the given socket is not listening");
    const int flags = ::fcntl(socket.get(), F_GETFL);
    if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) < 0) {
      throw base::SystemError("cannot use the listening socket", errno);
    }
    return socket;
  }
  Address address = address_of(options.address, options.port);
  base::Fd socket(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) throw base::SystemError("cannot create a socket", errno);
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR);
  if (options.share_port) set_option(socket.get(), SOL_SOCKET, SO_REUSEPORT);
  if (::bind(socket.get(), address.get(), address.size) != 0 ||
      ::listen(socket.get(), options.backlog) != 0) {
    const int error = errno;
    const std::string port = options.port == 0 ? "" : " port " + std::to_string(options.port);
    throw base::SystemError("cannot listen on " + options.address + port, error);
  }
  return socket;
}

base::Fd open_spare() {
  return base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

TcpServer::TcpServer(EventLoop& loop, TcpOptions options, MakeHandler make_handler)
    : loop_(loop),
      options_(std::move(options)),
      make_handler_(std::move(make_handler)),
      transport_(loop.make_tcp_transport()) {
  base::Fd socket = listen_on(options_);
  port_ = port_of(socket.get());
  listener_ = transport_->listen(std::move(socket), *this);
  spare_ = open_spare();
  update_accepting();
}

TcpServer::~TcpServer() {
  loop_.cancel(accept_again_);
  loop_.cancel(grace_);
  done_ = nullptr;
  shutting_down_ = true;
  while (!connections_.empty()) connections_.begin()->second->end(ECANCELED);
  self_.reset();
}

TcpConnection* TcpServer::find(TcpConnection::Id id) const noexcept {
  const auto known = connections_.find(id);
  return known != connections_.end() ? known->second.get() : nullptr;
}

// ---- Accepting

void TcpServer::accepted(base::Fd socket) {
  ++stats_.accepted;
  if (!shutting_down_ && connections_.size() >= options_.max_connections) displace_one();
  if (shutting_down_) return;
  // Fails if the peer has already gone, which the first use will report.
  const int on = 1;
  if (options_.no_delay) {
    static_cast<void>(::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  }
  // Reserve, because closed() must not fail.
  const std::size_t most = connections_.size() + closed_.size() + 1;
  if (closed_.capacity() < most) closed_.reserve(2 * most);
  const TcpConnection::Id id = next_id_++;
  std::unique_ptr<TcpConnection> made(new TcpConnection(*this, id));
  TcpConnection& connection = *made;
  try {
    connection.link_ = transport_->link(std::move(socket), connection);
  } catch (const base::SystemError&) {
    ++stats_.refused;
    return pause_accepting();
  }
  std::list<TcpConnection*> place{&connection};
  connections_.emplace(id, std::move(made));
  connection.place_ = place.begin();
  not_kept_.splice(not_kept_.end(), place);
  update_accepting();
  std::unique_ptr<TcpHandler> handler;
  try {
    handler = make_handler_(connection);
  } catch (...) {
    connection.close();
    throw;
  }
  if (handler == nullptr) return connection.close();
  connection.start(std::move(handler));
}

void TcpServer::accept_failed(int error) {
  if (error == EMFILE || error == ENFILE) return use_spare();
  pause_accepting();
}

// Returns whether there is one connection less. What the oldest has sent may not have been received
// yet, and may be the reason to keep it. Looks at each at most once, because those that cannot be
// kept become the newest.
bool TcpServer::displace_one() {
  if (!options_.displace) return false;
  const std::size_t before = connections_.size();
  for (std::size_t looks = not_kept_.size(); looks > 0; --looks) {
    TcpConnection& oldest = *not_kept_.front();
    oldest.link_->receive_now();
    if (connections_.size() < before) return true;
    if (not_kept_.empty() || not_kept_.front() == &oldest) break;
  }
  if (not_kept_.empty()) return false;
  ++stats_.displaced;
  not_kept_.front()->displace();
  return true;
}

// Closes the spare descriptor, so that one connection can be accepted. Either it displaces another,
// or it is closed: the client then learns immediately that there is no room, instead of waiting in
// the queue.
void TcpServer::use_spare() {
  spare_.reset();
  base::Fd socket(listener_->accept_now());
  const bool is_one = static_cast<bool>(socket);
  const bool has_room = is_one && displace_one();
  if (is_one && !has_room) {
    socket.reset();
    ++stats_.refused;
  }
  spare_ = open_spare();
  if (!is_one || !spare_) pause_accepting();
  if (has_room) accepted(std::move(socket));
}

void TcpServer::pause_accepting() {
  ++stats_.accept_pauses;
  accept_paused_ = true;
  update_accepting();
  loop_.cancel(accept_again_);
  accept_again_ = loop_.after(kAcceptPause, [this] {
    accept_paused_ = false;
    if (!spare_) spare_ = open_spare();
    update_accepting();
  });
}

void TcpServer::update_accepting() {
  if (listener_ == nullptr) return;
  const bool has_room =
      connections_.size() < options_.max_connections || (options_.displace && !not_kept_.empty());
  const bool wanted = !shutting_down_ && !accept_paused_ && has_room;
  try {
    listener_->accept(wanted);
  } catch (const base::SystemError&) {
    if (!accept_paused_) pause_accepting();
  }
}

void TcpServer::keep(TcpConnection& connection) {
  const std::size_t most = options_.max_connections - (options_.max_connections + 3) / 4;
  if (connections_.size() - not_kept_.size() >= most) {
    return not_kept_.splice(not_kept_.end(), not_kept_, connection.place_);
  }
  connection.kept_ = true;
  not_kept_.erase(connection.place_);
  update_accepting();
}

void TcpServer::finishing(TcpConnection& connection) noexcept {
  if (!connection.kept_) not_kept_.splice(not_kept_.begin(), not_kept_, connection.place_);
}

// ---- The limit of buffers

void TcpServer::buffers_changed(TcpConnection& connection) {
  buffered_ += connection.buffer_bytes() - connection.buffered_;
  connection.buffered_ = connection.buffer_bytes();
  if (options_.buffer_limit == 0) return;
  while (buffered_ > options_.buffer_limit) {
    TcpConnection* const most = longest_waiting(connection);
    if (most == nullptr) return;
    ++stats_.overfull;
    buffered_ -= std::exchange(most->buffered_, 0);
    most->drop();
  }
}

// Null if no other connection has buffers.
TcpConnection* TcpServer::longest_waiting(const TcpConnection& except) const {
  TcpConnection* longest = nullptr;
  for (const auto& [id, each] : connections_) {
    if (each->buffered_ == 0 || each.get() == &except) continue;
    const auto rank = [](const TcpConnection& one) {
      return std::tuple(one.kept_, one.last_sent_, one.id_);
    };
    if (longest == nullptr || rank(*each) < rank(*longest)) longest = each.get();
  }
  return longest;
}

// ---- The end

// Its calls, or those of its link, may be in progress: a job of the loop destroys it.
void TcpServer::closed(TcpConnection& connection) {
  buffered_ -= std::exchange(connection.buffered_, 0);
  if (!connection.kept_) not_kept_.erase(connection.place_);
  auto node = connections_.extract(connection.id());
  closed_.push_back(std::move(node.mapped()));
  if (!freeing_) {
    try {
      later([](TcpServer& self) {
        // In place, which keeps the reserve. Destructors of handlers may close more of them.
        for (std::size_t i = 0; i < self.closed_.size(); ++i) self.closed_[i].reset();
        self.closed_.clear();
        self.freeing_ = false;
      });
      freeing_ = true;
    } catch (const std::bad_alloc&) {  // the next one tries again
    }
  }
  update_accepting();
  check_shut_down();
}

void TcpServer::shut_down_by(EventLoop::Time deadline, UniqueFunction<void()> done) {
  if (std::exchange(shutting_down_, true)) return;
  done_ = std::move(done);
  update_accepting();
  // Its calls may be in progress.
  later([](TcpServer& self) { self.listener_.reset(); });
  const auto for_each = [this](void (*call)(TcpConnection&)) {
    std::vector<TcpConnection::Id> ids;
    ids.reserve(connections_.size());
    for (const auto& [id, connection] : connections_) ids.push_back(id);
    std::exception_ptr first;
    for (const TcpConnection::Id id : ids) {
      try {
        if (TcpConnection* const connection = find(id)) call(*connection);
      } catch (...) {
        if (first == nullptr) first = std::current_exception();
      }
    }
    if (first != nullptr) std::rethrow_exception(first);
  };
  grace_ = loop_.at(
      deadline, [for_each] { for_each([](TcpConnection& connection) { connection.close(); }); });
  for_each([](TcpConnection& connection) {
    if (connection.handler_ == nullptr) return connection.finish();  // still being constructed
    connection.guarded([&] { connection.handler_->on_shut_down(connection); });
  });
  check_shut_down();
}

void TcpServer::check_shut_down() {
  if (!shutting_down_ || !connections_.empty()) return;
  loop_.cancel(grace_);
  if (!done_) return;
  later([](TcpServer& self) {
    if (auto done = std::exchange(self.done_, nullptr)) done();
  });
}

template <class Function>
void TcpServer::later(Function function) {
  loop_.post([server = std::weak_ptr(self_), function] {
    if (const std::shared_ptr<TcpServer*> alive = server.lock()) function(**alive);
  });
}

}  // namespace fathom::rt
