// Acceptor: accepts clients from a listening socket, and refuses them when descriptors run out.
//
// Otherwise a loop would spin: the listener stays readable as long as a client waits.
//
//   while (base::Fd client = acceptor.next()) add(std::move(client));

#pragma once

#include <sys/socket.h>

#include "fathom/base/fd.h"

namespace fathom::bench {

class Acceptor {
 public:
  explicit Acceptor(base::Fd listener);

  int descriptor() const noexcept { return listener_.get(); }

  // The next client, with these flags; empty if none waits.
  base::Fd next(int flags = SOCK_NONBLOCK | SOCK_CLOEXEC);

  // Whether this error of accept means that descriptors or memory have run out.
  static bool is_shortage(int error) noexcept;
  // Handles that: closes the connection of a waiting client. Prints a message the first time.
  void turn_away();

 private:
  base::Fd listener_;
  base::Fd spare_;  // released briefly to accept the client to refuse
  bool told_ = false;
};

}  // namespace fathom::bench
