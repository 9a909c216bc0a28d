// Crowd: clients that are connected to an echo server and talk to it in lock-step. Each sends a
// message, waits until it has all of it back, and sends the next.
//
// There are two: a thread for each client, as the seed measured, and one loop for all. Both call
// the kernel themselves, and the loop is a raw one on purpose: were it our reactor, the instrument
// would contain what it measures.
//
//   auto crowd = make_crowd(Crowd::Kind::epoll, port, 128, pattern);
//   crowd->talk(1);                       // everybody was accepted, and everything is warm
//   const Talk talk = crowd->talk(100);

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fathom/base/clock.h"
#include "net/client/connection.h"
#include "net/client/pattern.h"

namespace fathom::bench {

// Clients whose connection ended before their last answer, by the reason.
struct Disconnections {
  std::size_t closed = 0;
  std::size_t reset = 0;
  std::size_t other = 0;

  void add(Loss loss);
  Disconnections& operator+=(const Disconnections& more);
  std::size_t total() const { return closed + reset + other; }
};

// What a talk was like.
struct Talk {
  std::vector<std::chrono::nanoseconds> round_trips;  // of the messages that came back, in no order
  std::chrono::nanoseconds elapsed{0};                // from the common start to the last answer
  Disconnections disconnections;
  std::size_t wrong_bytes = 0;  // other than those that were sent, or too many
};

class Crowd {
 public:
  enum class Kind { threads, epoll };

  virtual ~Crowd() = default;

  // Each client that is still connected sends so many messages. All start together. Throws when
  // nothing comes back for a minute.
  virtual Talk talk(std::size_t messages) = 0;
};

// Connects so many clients to the port of 127.0.0.1. The pattern has to outlive them. Throws if
// that fails for one of them.
std::unique_ptr<Crowd> make_crowd(Crowd::Kind kind, std::uint16_t port, std::size_t clients,
                                  const Pattern& pattern);

// The two.
std::unique_ptr<Crowd> make_thread_crowd(std::uint16_t port, std::size_t clients,
                                         const Pattern& pattern);
std::unique_ptr<Crowd> make_epoll_crowd(std::uint16_t port, std::size_t clients,
                                        const Pattern& pattern);

}  // namespace fathom::bench
