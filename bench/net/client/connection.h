// Connection: one client's socket and the message in progress.
//
//   connection.start(message, now);
//   switch (connection.send()) ...        // as much as possible without waiting
//   switch (connection.receive(buffer)) ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fathom/base/clock.h"
#include "net/fd.h"

namespace fathom::bench {

// A socket connected to the port of 127.0.0.1, with TCP_NODELAY. It blocks, but receives for at
// most a minute.
Fd connect_to(std::uint16_t port);

// Why a connection has ended.
enum class Loss { closed, reset, other };

class Connection {
 public:
  enum class State { under_way, back, lost };
  using TimePoint = base::MonotonicClock::time_point;

  explicit Connection(Fd socket);

  int descriptor() const noexcept { return socket_.get(); }
  bool open() const noexcept { return static_cast<bool>(socket_); }
  TimePoint started() const noexcept { return started_; }
  // Why it has ended. Requires that it is not open.
  Loss loss() const noexcept { return loss_; }
  // The total of all messages so far.
  std::size_t wrong_bytes() const noexcept { return wrong_bytes_; }

  // Begins a message, without sending. The message must stay valid until it has been received.
  void start(std::span<const char> message, TimePoint now) noexcept;

  // Whether the whole message was sent.
  bool sent() const noexcept { return sent_ == message_.size(); }

  // Sends as much as possible without waiting.
  State send();
  // Receives once, what is available (MSG_DONTWAIT) or what comes first (0), and compares it. Bytes
  // beyond the end of the message are wrong. Throws after waiting in vain.
  State receive(std::span<char> buffer, int flags);

 private:
  // With the kernel's errno, or 0 for the end of the stream.
  State lose(int error);
  void compare(std::span<const char> bytes);

  Fd socket_;
  Loss loss_ = Loss::other;
  std::span<const char> message_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  std::size_t wrong_bytes_ = 0;
  TimePoint started_;
};

}  // namespace fathom::bench
