// Client: a blocking TCP client for tests. It only uses read() and sendto(), so that a test that
// replaces recv() and send() affects the server alone.
//
// Its kernel buffers have a fixed size. If those of the server have one too (small_listener()), the
// kernel buffers less than kMoreThanTheKernelTakes of unread data. Otherwise that
// depends on the machine: on tcp_rmem, on tcp_wmem, and on what the kernel has learned from earlier
// connections.

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/testing/needs_loopback.h"

namespace fathom::rt::testing {

constexpr int kBufferBytes = 128 * 1024;  // less than rmem_max and wmem_max usually are
// Two buffers of twice that size, because the kernel doubles it, and ample reserve.
constexpr std::size_t kMoreThanTheKernelTakes = 2'000'000;

// Call before the socket connects or listens: connections inherit the sizes from their listener.
inline void fix_buffers(int socket) {
  for (const int buffer : {SO_RCVBUF, SO_SNDBUF}) {
    if (::setsockopt(socket, SOL_SOCKET, buffer, &kBufferBytes, sizeof kBufferBytes) != 0) {
      throw base::SystemError("cannot set the size of a buffer", errno);
    }
  }
}

// A socket for TcpOptions::listener, on a port that the system chooses.
inline int small_listener() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  fix_buffers(listener);
  if (::listen(listener, 1024) != 0) throw base::SystemError("cannot listen", errno);
  return listener;
}

// A string of `bytes` bytes, each derived from its position. Do not compare long ones with
// EXPECT_EQ, which needs quadratic memory for the difference.
inline std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 31 + i / 251);
  return text;
}

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    fix_buffers(get());
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw base::SystemError("cannot connect", errno);
    }
  }
  // Takes ownership of a connected socket.
  static Client of(int socket) { return Client(base::Fd(socket)); }

  [[nodiscard]] int get() const { return socket_.get(); }

  // Returns whether everything was written.
  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::sendto(get(), text.data(), text.size(), MSG_NOSIGNAL, nullptr, 0);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // Fills the string, or reads until the end or an error.
  void read_into(std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = ::read(get(), text.data() + done, text.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    text.resize(done);
  }
  std::string read(std::size_t bytes) {
    std::string text(bytes, '\0');
    read_into(text);
    return text;
  }
  // Reads until the end.
  std::string read_all() {
    std::string all;
    for (;;) {
      const std::string some = read(65'536);
      all += some;
      if (some.size() < 65'536) return all;
    }
  }
  // Writes the text and reads the same number of bytes, in whichever order is possible.
  std::string exchange(std::string_view text) {
    std::string back(text.size(), '\0');
    std::size_t sent = 0;
    std::size_t received = 0;
    while (received < back.size()) {
      const short wanted = sent < text.size() ? short{POLLIN | POLLOUT} : short{POLLIN};
      pollfd ready{get(), wanted, 0};
      if (::poll(&ready, 1, -1) < 0) break;
      if ((ready.revents & POLLOUT) != 0) {
        const std::string_view rest = text.substr(sent, 16'384);
        const ssize_t count =
            ::sendto(get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
        if (count > 0) sent += static_cast<std::size_t>(count);
      }
      if ((ready.revents & ~POLLOUT) != 0) {
        const ssize_t count = ::read(get(), back.data() + received, back.size() - received);
        if (count <= 0) break;
        received += static_cast<std::size_t>(count);
      }
    }
    back.resize(received);
    return back;
  }
  void end_writing() { ::shutdown(get(), SHUT_WR); }
  void close() { socket_.reset(); }
  // Closes the connection abruptly: the server gets ECONNRESET.
  void reset() {
    const linger none{1, 0};
    ::setsockopt(get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close();
  }

 private:
  explicit Client(base::Fd socket) : socket_(std::move(socket)) {}

  base::Fd socket_;
};

}  // namespace fathom::rt::testing
