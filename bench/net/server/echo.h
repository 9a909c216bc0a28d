// Echo: the work of a loop for one client with a non-blocking socket.
//
// Received bytes are sent immediately. Bytes that the client does not take are kept, at most one
// buffer, and nothing more is received until they are sent. The owner of the Echo waits for the
// event that turn() returns, and calls turn() again.
//
//   switch (echo.turn(buffer)) {
//     case Wants::receive: ...    // wait until it can be received from
//     case Wants::send: ...       // wait until it can be sent to
//     case Wants::end: ...        // the client left
//   }

#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::bench {

enum class Wants { receive, send, end };

class Echo {
 public:
  explicit Echo(base::Fd socket) : socket_(std::move(socket)) {}

  int descriptor() const noexcept { return socket_.get(); }

  // Sends what was kept, or else receives once and sends that. The buffer is only needed during the
  // call.
  Wants turn(std::span<char> buffer) {
    return kept_.empty() ? receive(buffer) : send(std::span(kept_).subspan(gone_));
  }

  // Whether the last turn() may have left something in the socket, of which an edge-triggered loop
  // is not notified.
  // more of it.
  bool may_hold_more() const noexcept { return may_hold_more_; }

 private:
  Wants receive(std::span<char> buffer) {
    const ssize_t received =
        base::retry([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), 0); });
    may_hold_more_ = received == static_cast<ssize_t>(buffer.size());
    if (received > 0) return send(buffer.first(static_cast<std::size_t>(received)));
    return received < 0 && errno == EAGAIN ? Wants::receive : Wants::end;
  }

  // `bytes` is part of what was kept, or everything that was just received.
  Wants send(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = base::retry(
          [&] { return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
      if (sent >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        keep(bytes);
        return Wants::send;
      } else {
        return Wants::end;
      }
    }
    if (!kept_.empty()) {
      kept_ = {};  // frees the memory: slow clients are rare
      gone_ = 0;
      may_hold_more_ = true;
    }
    return Wants::receive;
  }

  void keep(std::span<const char> bytes) {
    if (kept_.empty()) {
      kept_.assign(bytes.begin(), bytes.end());
    } else {
      gone_ = kept_.size() - bytes.size();
    }
  }

  base::Fd socket_;
  std::vector<char> kept_;  // empty, or the bytes from gone_ on are still to be sent
  std::size_t gone_ = 0;
  bool may_hold_more_ = false;
};

}  // namespace fathom::bench
