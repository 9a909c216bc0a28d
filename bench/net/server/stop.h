// Stop: one descriptor that is readable once the server is to end.
//
// That is when SIGTERM or SIGINT came, or when standard input, a pipe or a terminal, was closed at
// its other end. It costs no thread: loops watch it as they watch their clients.
//
//   Stop stop;                // before there are threads: they inherit the blocked signals
//   epoll_ctl(..., stop.descriptor(), ...)

#pragma once

#include "net/fd.h"

namespace fathom::bench {

class Stop {
 public:
  Stop();

  int descriptor() const noexcept { return either_.get(); }

 private:
  Fd signals_;
  Fd either_;  // an epoll instance is itself readable while one of its descriptors is
};

}  // namespace fathom::bench
