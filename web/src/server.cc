// Server: puts the listening socket, the access policy and the service together.

#include "fathom/web/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "access/access_policy.h"
#include "access/token.h"
#include "descriptors.h"
#include "fathom/base/error.h"
#include "fathom/rt/net/tcp_server.h"
#include "page_files.h"
#include "service.h"
#include "unix_socket.h"

namespace fathom::web {

namespace {

using std::chrono::seconds;

// As many as the system permits: while the queue of connections to accept is full, the kernel drops
// further attempts, and the client tries again only after a second.
constexpr int kBacklog = SOMAXCONN;
// Several times as much as a browser makes wait, whatever the number of clients that do not read.
constexpr std::size_t kBufferLimit = std::size_t{64} << 20;
// The limit for unparsed input: a head, and what the same read returned after it.
constexpr std::size_t kReceiveLimit = std::size_t{128} << 10;
constexpr seconds kIdleTimeout{75};
constexpr seconds kWriteTimeout{30};

// As browsers write it in Host.
std::string host_of(const std::string& address) {
  const bool ip6 = address.find(':') != std::string::npos;
  return canonical_address(ip6 ? '[' + address + ']' : address).value_or(address);
}

bool is_any(const std::string& host) {
  return host == "0.0.0.0" || host == "[::]";
}

std::string host_name() {
  std::array<char, 256> name{};
  const bool known = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return known ? name.data() : "localhost";
}

// The host in the address that is printed.
std::string shown_host(const std::string& address) {
  const std::string host = host_of(address);
  return is_any(host) ? host_name() : host;
}

// The host names under which a browser may reach the server.
AccessPolicy::Names names_of(const ServerOptions& options) {
  AccessPolicy::Names names{.names = {"localhost", "127.0.0.1", "[::1]"}};
  if (!options.unix_socket.empty()) return names;
  const std::string host = host_of(options.address);
  names.names.push_back(host);
  if (host == "127.0.0.1" || host == "[::1]") return names;
  // The server does not know all its addresses, so it accepts any.
  names.any_address = is_any(host);
  names.names.push_back(in_lower_case(host_name()));
  return names;
}

// Browsers send cookies to all ports of a host, so the name contains the port: two servers on one
// machine must not confuse their cookies. Unix sockets have no port; the proxies and tunnels in
// front of them may all be called localhost.
std::string cookie_name(std::uint16_t port) {
  constexpr std::size_t kLength = 12;  // 72 random bits
  return "fathom-" + (port != 0 ? std::to_string(port) : make_token().substr(0, kLength));
}

Subject with_limits(Subject subject, const Descriptors& descriptors) {
  subject.scan.max_descriptors = descriptors.scan;
  return subject;
}

const ServerOptions& checked(const ServerOptions& options) {
  const bool is_local = !options.unix_socket.empty() || Server::is_loopback(options.address);
  if (options.acting.allowed && !is_local) {
    throw base::Error("acts are allowed only on a loopback address or a Unix socket, not on " +
                      options.address);
  }
  return options;
}

rt::TcpOptions tcp_options(const ServerOptions& options, UnixSocket* socket,
                           const Descriptors& descriptors) {
  rt::TcpOptions tcp;
  tcp.address = options.address;
  tcp.port = options.port;
  if (socket != nullptr) tcp.listener = socket->release();
  tcp.backlog = kBacklog;
  tcp.max_connections = descriptors.connections;
  tcp.displace = true;
  tcp.buffer_limit = kBufferLimit;
  tcp.receive_limit = kReceiveLimit;
  tcp.idle_timeout = kIdleTimeout;
  tcp.write_timeout = kWriteTimeout;
  return tcp;
}

}  // namespace

struct Server::Parts {
  Parts(rt::EventLoop& loop, const ServerOptions& options)
      : socket(options.unix_socket.empty() ? nullptr
                                           : std::make_unique<UnixSocket>(options.unix_socket)),
        tcp(loop, tcp_options(options, socket.get(), descriptors),
            [this](rt::TcpConnection& connection) { return service->connect(connection); }) {
    const std::string port = std::to_string(tcp.port());
    host = socket != nullptr ? "localhost" : shown_host(options.address) + ':' + port;
    AccessPolicy access(names_of(options), cookie_name(tcp.port()), token);
    service = std::make_unique<Service>(loop, std::move(access),
                                        with_limits(options.subject, descriptors), options.acting);
  }

  const Descriptors descriptors = Descriptors::plan();
  const std::string token = make_token();
  std::string host;  // in the address
  std::unique_ptr<UnixSocket> socket;
  std::unique_ptr<Service> service;  // must outlive tcp, whose connections it answers
  rt::TcpServer tcp;
};

Server::Server(rt::EventLoop& loop, const ServerOptions& options)
    : parts_(std::make_unique<Parts>(loop, checked(options))) {}

Server::~Server() = default;

std::string Server::address() const {
  return "http://" + parts_->host + "/?token=" + parts_->token;
}

std::uint16_t Server::port() const {
  return parts_->tcp.port();
}

void Server::check_limits() {
  constexpr std::size_t kLoop = 3;  // epoll, wake-ups, signals
  static_cast<void>(Descriptors::plan(kLoop));
}

bool Server::is_loopback(const std::string& address) {
  const std::string host = host_of(address);
  return host.starts_with("127.") || host == "[::1]";
}

bool Server::has_page() {
  return !page_files().empty();
}

void Server::shut_down(rt::EventLoop::Duration grace, std::function<void()> done) {
  parts_->service->cancel();
  if (parts_->socket != nullptr) parts_->socket->remove();  // must precede closing it
  parts_->tcp.shut_down(grace, std::move(done));
}

bool Server::busy() const {
  return parts_->service->busy();
}

}  // namespace fathom::web
