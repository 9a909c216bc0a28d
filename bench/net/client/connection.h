// Connection: one client's socket and the message that is on its way.
//
//   connection.start(message, now);
//   switch (connection.send()) ...        // as much as goes without waiting
//   switch (connection.receive(buffer)) ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fathom/base/clock.h"
#include "net/fd.h"

namespace fathom::bench {

// A socket that is connected to the port of 127.0.0.1 and has TCP_NODELAY. It blocks, but receives
// for no longer than a minute.
Fd connect_to(std::uint16_t port);

// Why a connection ended.
enum class Loss { closed, reset, other };

class Connection {
 public:
  enum class State { under_way, back, lost };
  using TimePoint = base::MonotonicClock::time_point;

  explicit Connection(Fd socket);

  int descriptor() const noexcept { return socket_.get(); }
  bool open() const noexcept { return static_cast<bool>(socket_); }
  TimePoint started() const noexcept { return started_; }
  // Of one that is not open any more.
  Loss loss() const noexcept { return loss_; }
  // Of all messages so far.
  std::size_t wrong_bytes() const noexcept { return wrong_bytes_; }

  // Nothing is sent yet. The message has to stay until it is back.
  void start(std::span<const char> message, TimePoint now) noexcept;

  // Whether all of the message was sent.
  bool sent() const noexcept { return sent_ == message_.size(); }

  // Sends as much as goes without waiting.
  State send();
  // Receives once, what there is (MSG_DONTWAIT) or what comes first (0), and compares it. Bytes
  // behind the end of the message are wrong ones. Throws when it waited in vain.
  State receive(std::span<char> buffer, int flags);

 private:
  // With the error that the kernel gave, or 0 for the end of the stream.
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
