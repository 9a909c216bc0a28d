#include "net/client/crowd.h"

namespace fathom::bench {

std::unique_ptr<Crowd> make_crowd(Crowd::Kind kind, std::uint16_t port, std::size_t clients,
                                  const Pattern& pattern) {
  return kind == Crowd::Kind::threads ? make_thread_crowd(port, clients, pattern)
                                      : make_epoll_crowd(port, clients, pattern);
}

}  // namespace fathom::bench
