// NeedsLoopback: a program that includes this header skips all its tests if it cannot connect to
// 127.0.0.1, for example in a network namespace whose loopback device is down.

#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "fathom/base/fd.h"

namespace fathom::testing {

// The reason; empty if it can connect.
inline std::string why_no_loopback() {
  std::string reason;
  const base::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const base::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const where = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener.get(), where, size) != 0 || ::listen(listener.get(), 1) != 0 ||
      ::getsockname(listener.get(), where, &size) != 0 ||
      ::connect(client.get(), where, size) != 0) {
    reason = "127.0.0.1 cannot be connected to: " + std::string(std::strerror(errno));
  }
  return reason;
}

class NeedsLoopback : public ::testing::Environment {
 public:
  void SetUp() override {
    if (const std::string reason = why_no_loopback(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

inline ::testing::Environment* const needs_loopback =
    ::testing::AddGlobalTestEnvironment(new NeedsLoopback);

}  // namespace fathom::testing
