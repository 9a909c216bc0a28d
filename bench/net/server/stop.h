// Stop: a descriptor that becomes readable when the server is to end.
//
// That is after SIGTERM or SIGINT, or when the other end of standard input, a pipe or a terminal,
// is closed. It needs no thread: loops watch it like their clients.
//
//   Stop stop;                // before starting threads: they inherit the blocked signals
//   epoll_ctl(..., stop.descriptor(), ...)

#pragma once

#include "fathom/base/fd.h"

namespace fathom::bench {

class Stop {
 public:
  Stop();

  int descriptor() const noexcept { return either_.get(); }

 private:
  base::Fd signals_;
  base::Fd either_;  // an epoll instance is itself readable while one of its descriptors is
};

}  // namespace fathom::bench
