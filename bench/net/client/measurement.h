// Measurement: what clients and an echo server needed for their messages, measured once.
//
//   Conditions conditions;
//   conditions.kind = "raw";
//   conditions.clients = 128;
//   const Measurement measured = measure(conditions);
//
// Measurements are repeated and compared by fathom-lab, not here.

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
  std::string kind;                   // of fathom-echo-server; it is started for the measurement
  std::optional<std::uint16_t> port;  // or the port of a server that runs already
  std::size_t clients = 4;
  std::size_t messages = 100;  // from each client
  std::size_t size = 64;       // bytes of a message
  double seconds = 0;          // messages are sent again until so long was measured
  Crowd::Kind crowd = Crowd::Kind::epoll;
  unsigned threads = 0;         // of the server; 0: what is usual for its kind
  bool pin = false;             // the clients to one processor, the server to the others
  bool count_syscalls = false;  // by strace, which slows the server down: its times mean nothing
};

// Of a server that was started for the measurement.
struct ServerCost {
  ProcessCost work;                    // for the messages
  std::size_t peak_memory = 0;         // bytes
  double memory_per_client = 0;        // bytes that it grew by for each connection
  std::optional<std::uint64_t> calls;  // to the system
};

struct Measurement {
  std::size_t messages = 0;  // that came back
  RoundTrips round_trips;
  double seconds = 0;  // from the common start to the last answer
  Disconnections disconnections;
  std::size_t wrong_bytes = 0;
  double client_seconds = 0;         // of processors
  std::optional<ServerCost> server;  // not for a port

  // 0 without messages.
  double per_message(double amount) const;
  // Nobody was disconnected and every byte was right.
  bool faultless() const { return disconnections.total() == 0 && wrong_bytes == 0; }
};

// Throws when the server cannot be started or clients cannot be connected.
Measurement measure(const Conditions& conditions);

}  // namespace fathom::bench
