// LogSocket: stands for the socket of the system's log, and keeps what it receives.

#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"

namespace fathom::base {

class LogSocket {
 public:
  // Listens at the path, where nothing may exist. Throws SystemError.
  explicit LogSocket(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    address_.sun_family = AF_UNIX;
    std::copy_n(path.begin(), std::min(path.size(), sizeof address_.sun_path - 1),
                address_.sun_path);
    if (!socket_ || ::bind(socket_.get(), address(), sizeof address_) != 0) {
      throw SystemError("cannot listen at " + path, errno);
    }
  }

  // Sends "full" until the queue of the socket takes no more.
  void fill() const {
    const Fd sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    while (::sendto(sender.get(), "full", 4, 0, address(), sizeof address_) == 4) {
    }
  }

  // The datagrams so far, the oldest first.
  [[nodiscard]] const std::vector<std::string>& received() const {
    char datagram[65536];
    for (;;) {
      const ssize_t size = ::recv(socket_.get(), datagram, sizeof datagram, 0);
      if (size < 0) return received_;
      received_.emplace_back(datagram, static_cast<std::size_t>(size));
    }
  }

 private:
  [[nodiscard]] const sockaddr* address() const {
    return reinterpret_cast<const sockaddr*>(&address_);
  }

  sockaddr_un address_ = {};
  Fd socket_;
  mutable std::vector<std::string> received_;
};

}  // namespace fathom::base
