// Acceptor: takes clients from a listening socket, and turns them away when there are no
// descriptors left.
//
// Without the latter a loop would spin: the listener stays readable as long as a client waits.
//
//   while (Fd client = acceptor.next()) add(std::move(client));

#pragma once

#include <sys/socket.h>

#include "net/fd.h"

namespace fathom::bench {

class Acceptor {
 public:
  explicit Acceptor(Fd listener);

  int descriptor() const noexcept { return listener_.get(); }

  // The next client, made with these flags; none when none waits.
  Fd next(int flags = SOCK_NONBLOCK | SOCK_CLOEXEC);

  // Whether this is what accepting says when descriptors are short, or memory.
  static bool is_shortage(int error) noexcept;
  // What to do then: the client that waits gets the end of the connection. Says so the first time.
  void turn_away();

 private:
  Fd listener_;
  Fd spare_;  // given up for a moment to take the client that is turned away
  bool told_ = false;
};

}  // namespace fathom::bench
