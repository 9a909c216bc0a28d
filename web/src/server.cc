#include "fathom/web/server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "access/gate.h"
#include "access/token.h"
#include "fathom/base/error.h"
#include "fathom/rt/net/tcp_server.h"
#include "http/request_parser.h"
#include "page.h"
#include "service.h"

namespace fathom::web {

namespace {

using std::chrono::seconds;

// Enough for a browser of everyone's and a load test; each idle one takes less than a kilobyte.
constexpr std::size_t kMaxConnections = 4096;
constexpr seconds kIdleTimeout{75};
constexpr seconds kWriteTimeout{30};

// A file of a socket, which is removed with it.
class UnixSocket {
 public:
  explicit UnixSocket(std::string path) : path_(std::move(path)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof(address.sun_path)) {
      throw base::Error("cannot listen on " + path_ + ": a socket's path may have " +
                        std::to_string(sizeof(address.sun_path) - 1) + " bytes");
    }
    std::memcpy(address.sun_path, path_.data(), path_.size());
    remove_dead(address);
    descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ < 0) throw base::SystemError("no socket", errno);
    // Before it exists, so that at no time another user may connect.
    const mode_t before = ::umask(0177);
    const int bound = ::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    const int error = errno;
    ::umask(before);
    if (bound != 0) fail(error);
    made_ = true;
    if (::listen(descriptor_, SOMAXCONN) != 0) fail(errno);
  }
  ~UnixSocket() {
    if (made_) ::unlink(path_.c_str());
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  // The listening socket, which is the caller's from then on.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  [[noreturn]] void fail(int error) {
    const std::string path = path_;
    if (std::exchange(made_, false)) ::unlink(path.c_str());
    ::close(std::exchange(descriptor_, -1));
    if (error == EADDRINUSE) {
      throw base::Error("cannot listen on " + path + ": it exists, and is no socket left behind");
    }
    throw base::SystemError("cannot listen on " + path, error);
  }

  // What a server left behind that could not clean up.
  void remove_dead(const sockaddr_un& address) const {
    struct stat there {};
    if (::lstat(path_.c_str(), &there) != 0 || !S_ISSOCK(there.st_mode)) return;
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return;
    const bool dead =
        ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
        errno == ECONNREFUSED;
    ::close(probe);
    if (dead) ::unlink(path_.c_str());
  }

  const std::string path_;
  int descriptor_ = -1;
  bool made_ = false;
};

bool is_ipv6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

std::string host_of(const std::string& address) {
  return is_ipv6(address) ? '[' + address + ']' : address;
}

bool is_any(const std::string& address) {
  return address == "0.0.0.0" || address == "::";
}

// What a browser may call the server.
Gate::Names names_of(const ServerOptions& options) {
  Gate::Names names{.names = {"localhost", "127.0.0.1", "[::1]"}};
  if (!options.unix_socket.empty()) return names;
  names.names.push_back(host_of(options.address));
  if (options.address == "127.0.0.1" || options.address == "::1") return names;
  // Which addresses lead here those know who ask.
  names.any_address = is_any(options.address);
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') {
    names.names.push_back(in_lower_case(name.data()));
  }
  return names;
}

rt::TcpOptions tcp_options(const ServerOptions& options, UnixSocket* socket) {
  rt::TcpOptions tcp;
  tcp.address = options.address;
  tcp.port = options.port;
  if (socket != nullptr) tcp.listener = socket->release();
  tcp.max_connections = kMaxConnections;
  tcp.receive_limit = kMaxRequest + 1;  // beyond it is the parser's to refuse
  tcp.idle_timeout = kIdleTimeout;
  tcp.write_timeout = kWriteTimeout;
  return tcp;
}

}  // namespace

struct Server::Parts {
  Parts(rt::EventLoop& loop, const ServerOptions& options)
      : socket(options.unix_socket.empty() ? nullptr
                                           : std::make_unique<UnixSocket>(options.unix_socket)),
        tcp(loop, tcp_options(options, socket.get()),
            [this](rt::TcpConnection& connection) { return service->connect(connection); }) {
    const std::string port = std::to_string(tcp.port());
    const bool has_name = socket != nullptr || is_any(options.address);
    host = has_name ? "localhost" : host_of(options.address);
    if (socket == nullptr) host += ':' + port;
    // Cookies do not know ports: two servers must not take each other's for theirs.
    Gate gate(names_of(options), "fathom-" + port, token, ticket);
    service = std::make_unique<Service>(loop, std::move(gate), options.subject);
  }

  const std::string token = make_token();
  const std::string ticket = make_token();
  std::string host;  // as browsers name it
  std::unique_ptr<UnixSocket> socket;
  std::unique_ptr<Service> service;  // before the next, whose connections it answers to their end
  rt::TcpServer tcp;
};

Server::Server(rt::EventLoop& loop, const ServerOptions& options)
    : parts_(std::make_unique<Parts>(loop, options)) {}

Server::~Server() = default;

std::string Server::address() const {
  return "http://" + parts_->host + "/?token=" + parts_->token;
}

std::string Server::address_for_once() const {
  return "http://" + parts_->host + "/?ticket=" + parts_->ticket;
}

std::uint16_t Server::port() const {
  return parts_->tcp.port();
}

bool Server::has_page() {
  return !page_files().empty();
}

void Server::shut_down(rt::EventLoop::Duration grace, std::function<void()> done) {
  parts_->service->cancel();
  parts_->tcp.shut_down(grace, std::move(done));
}

bool Server::busy() const {
  return parts_->service->session().busy();
}

}  // namespace fathom::web
