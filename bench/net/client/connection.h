// Connection: one client's socket and the message in progress.
//
//   connection.start(message, now);
//   switch (connection.send()) ...        // as much as possible without waiting
//   switch (connection.receive(buffer)) ...

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "net/socket_buffers.h"

namespace fathom::bench {

struct ClientOptions {
  // Bytes to request for the kernel's buffers; 0: the kernel chooses their sizes.
  int socket_buffer = 0;
  // How long a client waits for an answer before it gives the connection up as timed out. More than
  // 0; a loop for all clients waits so long for any of them.
  std::chrono::milliseconds patience{60'000};
};

// A socket connected to the port of 127.0.0.1, with TCP_NODELAY. It blocks, but receives only for
// as long as the options say.
base::Fd connect_to(std::uint16_t port, const ClientOptions& options = {});

// What the kernel makes of the requested size, which must not be 0.
SocketBuffers buffers_of_clients(const ClientOptions& options);

class Connection {
 public:
  enum class State { under_way, back, lost };
  using TimePoint = base::MonotonicClock::time_point;

  explicit Connection(base::Fd socket);

  int descriptor() const noexcept { return socket_.get(); }
  bool open() const noexcept { return static_cast<bool>(socket_); }
  TimePoint started() const noexcept { return started_; }
  // Why it has ended: an errno, ETIMEDOUT if the client waited in vain, or 0 for the end of the
  // stream. Requires that it is not open.
  int error() const noexcept { return error_; }
  // The total of all messages so far.
  std::size_t wrong_bytes() const noexcept { return wrong_bytes_; }

  // Begins a message, without sending. The message must stay valid until it has been received.
  void start(std::span<const char> message, TimePoint now) noexcept;

  // Whether the whole message was sent.
  bool sent() const noexcept { return sent_ == message_.size(); }

  // Sends as much as possible without waiting.
  State send();
  // Receives once, what is available (MSG_DONTWAIT) or what comes first (0), and compares it. Bytes
  // beyond the end of the message are wrong.
  State receive(std::span<char> buffer, int flags);
  // Ends the connection because the client has waited too long.
  State time_out();

 private:
  State lose(int error);
  void compare(std::span<const char> bytes);

  base::Fd socket_;
  int error_ = 0;
  std::span<const char> message_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  std::size_t wrong_bytes_ = 0;
  TimePoint started_;
};

}  // namespace fathom::bench
