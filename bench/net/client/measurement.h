// Measurement: the cost of messages for clients and for an echo server, measured once.
//
//   Conditions conditions;
//   conditions.kind = "raw";
//   conditions.clients = 128;
//   const Measurement measured = measure(conditions);
//
// fathom-lab repeats and compares measurements.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "net/client/crowd.h"
#include "net/client/process_cost.h"
#include "net/client/round_trips.h"

namespace fathom::bench {

struct Conditions {
  std::string kind;                   // a kind of fathom-echo-server, started for the measurement
  std::optional<std::uint16_t> port;  // or the port of a running server
  std::size_t clients = 4;
  std::size_t messages = 100;  // per client
  std::size_t size = 64;       // bytes per message
  double seconds = 0;          // messages are repeated for at least this long
  Crowd::Kind crowd = Crowd::Kind::epoll;
  ClientOptions client;         // its socket_buffer is also that of a server started here
  unsigned threads = 0;         // of the server; 0: the default of its kind
  bool pin = false;             // clients on one CPU, the server on the others
  bool count_syscalls = false;  // with strace, which makes times meaningless
};

// The costs of a server that was started for the measurement.
struct ServerCost {
  ProcessCost work;                    // of the messages
  std::size_t peak_memory = 0;         // in bytes
  double memory_per_client = 0;        // growth in bytes per connection
  std::optional<std::uint64_t> calls;  // system calls
  SocketBuffers buffers;               // if a size was requested
};

struct Measurement {
  std::size_t messages = 0;  // answered messages
  RoundTrips round_trips;
  double seconds = 0;  // from the common start to the last answer
  Disconnections disconnections;
  std::size_t wrong_bytes = 0;
  int socket_buffer = 0;             // the requested size; 0: none
  SocketBuffers client_buffers;      // if a size was requested
  double client_seconds = 0;         // CPU time
  std::optional<ServerCost> server;  // empty for a port

  // 0 if there were no messages.
  double per_message(double amount) const;
  // Whether no client was disconnected and every byte was correct.
  bool faultless() const { return disconnections.total() == 0 && wrong_bytes == 0; }
};

// Throws if the server cannot be started or clients cannot connect.
Measurement measure(const Conditions& conditions);

}  // namespace fathom::bench
