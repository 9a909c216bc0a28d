// HttpClient: a blocking client for tests, which parses responses strictly by RFC 9112.
//
//   HttpClient client(server.port());
//   client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
//   const HttpReply reply = client.reply();

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "access/access_policy.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/testing/needs_loopback.h"

namespace fathom::web {

struct HttpReply {
  int status = 0;                              // 0 if the connection was closed
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : socket_(make_socket(AF_INET)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_to(address);
  }
  explicit HttpClient(const std::string& path) : socket_(make_socket(AF_UNIX)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    connect_to(address);
  }

  // Returns whether everything was sent.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_.get(), SHUT_WR); }

  // The next response, which interim ones (RFC 9110, 15.2) may precede. to_head: it has no body,
  // whatever its length field says.
  HttpReply reply(bool to_head = false) {
    HttpReply reply = head();
    while (reply.status / 100 == 1) reply = head();
    if (reply.status == 0 || reply.status == 304 || to_head) return reply;
    reply.body = bytes(std::stoul(reply.header("content-length")));
    return reply;
  }
  // The head of the next response, if it has no length.
  HttpReply head() {
    HttpReply reply;
    const std::optional<std::string> text = until("\r\n\r\n");
    if (!text) return reply;
    const std::string lines = *text + "\r\n";
    std::string_view rest = lines;
    reply.status = std::stoi(std::string(rest.substr(9, 3)));
    rest.remove_prefix(rest.find("\r\n") + 2);
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find("\r\n"));
      rest.remove_prefix(line.size() + 2);
      const std::size_t colon = line.find(": ");
      reply.headers[in_lower_case(line.substr(0, colon))] = line.substr(colon + 2);
    }
    return reply;
  }
  // The text before a mark, which is consumed; nullopt if the connection is closed first.
  std::optional<std::string> until(std::string_view mark) {
    std::size_t found = 0;
    while ((found = unread_.find(mark)) == std::string::npos) {
      if (!receive()) return std::nullopt;
    }
    std::string text = unread_.substr(0, found);
    unread_.erase(0, found + mark.size());
    return text;
  }
  // Whether the server has closed the connection and no data is left.
  bool at_end() { return unread_.empty() && !receive(); }
  void close() { socket_.reset(); }

 private:
  static base::Fd make_socket(int family) {
    base::Fd made(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made) throw base::SystemError("no socket", errno);
    return made;
  }
  template <class Address>
  void connect_to(const Address& address) {
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw base::SystemError("cannot connect", errno);
  }
  std::string bytes(std::size_t size) {
    while (unread_.size() < size && receive()) {
    }
    std::string text = unread_.substr(0, size);
    unread_.erase(0, text.size());
    return text;
  }
  bool receive() {
    std::array<char, 65536> block;
    const ssize_t count = ::recv(socket_.get(), block.data(), block.size(), 0);
    if (count <= 0) return false;
    unread_.append(block.data(), static_cast<std::size_t>(count));
    return true;
  }

  base::Fd socket_;
  std::string unread_;
};

}  // namespace fathom::web
