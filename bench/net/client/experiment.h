// Experiment: servers, each with each number of clients, round by round.
//
// A server is a process of its own, started anew for each measurement. A round measures all servers
// one after the other, in an order that is drawn anew for each round: what changes on the machine
// meanwhile meets each of them, and values are compared within a round.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/client/crowd.h"
#include "net/client/process_cost.h"
#include "net/client/server_process.h"
#include "net/client/statistics.h"

namespace fathom::bench {

struct Plan {
  std::vector<ServerKind> servers;
  std::vector<std::size_t> clients = {4, 128, 1024};
  std::size_t messages = 100;
  std::size_t size = 64;
  std::size_t rounds = 9;
  Crowd::Kind crowd = Crowd::Kind::epoll;
  unsigned threads = 0;  // of a server; 0: what is usual for it
  bool count_syscalls = false;
  bool pin = false;  // the clients to one processor, the servers to the others
  // Instead of servers: whatever listens there.
  std::optional<std::uint16_t> port;
};

// One server with one number of clients in one round.
struct Measurement {
  std::size_t messages = 0;  // that came back
  RoundTrips round_trips;
  double seconds = 0;  // from the common start to the last answer
  std::size_t disconnections = 0;
  std::size_t wrong_bytes = 0;
  double client_seconds = 0;          // of processors
  std::optional<ProcessCost> server;  // not for a port

  double messages_per_second() const;
  double per_message(double amount) const;
};

// One server with one number of clients in all rounds.
struct Row {
  std::string server;
  std::vector<Measurement> rounds;  // empty if it cannot have so many clients
  std::optional<double> syscalls_per_message;

  double median(const std::function<double(const Measurement&)>& of) const;
  std::size_t disconnections() const;
  std::size_t wrong_bytes() const;
};

struct Block {
  std::size_t clients = 0;
  std::vector<Row> rows;  // as the plan's servers

  // The row of the floor, if it took part.
  const Row* floor() const;
};

// How many times as much the row has of something as the floor, by rounds. Rounds in which either
// has none of it do not count.
Spread ratio_to(const Row& floor, const Row& row,
                const std::function<double(const Measurement&)>& of);

// What is usually compared so.
double mean_round_trip(const Measurement& measurement);
// Seconds of processors for each message. 0 where that is not known.
double server_cost(const Measurement& measurement);

// Calls `progress` before each measurement with what will be measured. Throws when a server cannot
// be started or clients cannot be connected.
std::vector<Block> run_experiment(const Plan& plan,
                                  const std::function<void(const std::string&)>& progress);

}  // namespace fathom::bench
