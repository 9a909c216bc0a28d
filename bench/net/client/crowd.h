// Crowd: clients of an echo server that talk to it in lock-step. Each sends a message, waits until
// it has received all of it, and sends the next.
//
// There are two kinds: one thread per client, and one loop for all clients. Both make system calls
// directly. The loop deliberately does not use rt's Reactor: otherwise the instrument would contain
// what it measures.
//
//   auto crowd = make_crowd(Crowd::Kind::epoll, port, 128, pattern);
//   crowd->talk(1);                       // all clients are accepted, and caches are warm
//   const Talk talk = crowd->talk(100);

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fathom/base/clock.h"
#include "net/client/connection.h"
#include "net/client/pattern.h"

namespace fathom::bench {

// The number of clients whose connections ended before their last answer, by reason.
struct Disconnections {
  std::size_t closed = 0;             // by the server, in order
  std::size_t reset = 0;              // "connection reset by peer"
  std::size_t timed_out = 0;          // reported by the kernel, or given up by the client
  std::map<int, std::size_t> others;  // by errno

  // An errno, or 0 for the end of the stream.
  void add(int error);
  Disconnections& operator+=(const Disconnections& more);
  std::size_t other() const;
  std::size_t total() const { return closed + reset + timed_out + other(); }
};

// The result of a talk.
struct Talk {
  std::vector<std::chrono::nanoseconds> round_trips;  // of answered messages, unordered
  std::chrono::nanoseconds elapsed{0};                // from the common start to the last answer
  Disconnections disconnections;
  std::size_t wrong_bytes = 0;  // different from those sent, or too many
};

class Crowd {
 public:
  enum class Kind { threads, epoll };

  virtual ~Crowd() = default;

  // Connects so many more clients. Throws if any of them fails.
  virtual void add(std::size_t clients) = 0;

  // Each connected client sends so many messages. All start at the same time.
  virtual Talk talk(std::size_t messages) = 0;
};

// Connects so many clients to the port of 127.0.0.1. The pattern must outlive the crowd. Throws if
// any of them fails.
std::unique_ptr<Crowd> make_crowd(Crowd::Kind kind, std::uint16_t port, std::size_t clients,
                                  const Pattern& pattern, const ClientOptions& options = {});

// The two kinds, still without clients.
std::unique_ptr<Crowd> make_thread_crowd(std::uint16_t port, const Pattern& pattern,
                                         const ClientOptions& options);
std::unique_ptr<Crowd> make_epoll_crowd(std::uint16_t port, const Pattern& pattern,
                                        const ClientOptions& options);

}  // namespace fathom::bench
