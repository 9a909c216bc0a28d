// Echo: what a loop does for one client whose socket does not block.
//
// What was received is sent at once. What the client does not take is kept, at most one buffer of
// it, and until it went nothing more is received. Whoever owns the Echo waits for what it asks for,
// and calls turn() then.
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

#include "net/fd.h"

namespace fathom::bench {

enum class Wants { receive, send, end };

class Echo {
 public:
  explicit Echo(Fd socket) : socket_(std::move(socket)) {}

  int descriptor() const noexcept { return socket_.get(); }

  // Sends what was kept, or else receives once and sends that. The buffer is needed only during the
  // call.
  Wants turn(std::span<char> buffer) {
    return kept_.empty() ? receive(buffer) : send(std::span(kept_).subspan(gone_));
  }

  // Whether the last turn() may have left something in the socket: an edge-triggered loop hears no
  // more of it.
  bool may_hold_more() const noexcept { return may_hold_more_; }

 private:
  Wants receive(std::span<char> buffer) {
    ssize_t received = 0;
    do {
      received = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    } while (received < 0 && errno == EINTR);
    may_hold_more_ = received == static_cast<ssize_t>(buffer.size());
    if (received > 0) return send(buffer.first(static_cast<std::size_t>(received)));
    return received < 0 && errno == EAGAIN ? Wants::receive : Wants::end;
  }

  // `bytes` is part of what was kept, or all of what was received just now.
  Wants send(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        keep(bytes);
        return Wants::send;
      } else if (errno != EINTR) {
        return Wants::end;
      }
    }
    if (!kept_.empty()) {
      kept_ = {};  // slow clients are rare: nobody pays for one that was slow once
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

  Fd socket_;
  std::vector<char> kept_;  // empty, or its bytes from gone_ on have yet to be sent
  std::size_t gone_ = 0;
  bool may_hold_more_ = false;
};

}  // namespace fathom::bench
