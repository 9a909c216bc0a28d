// Crowd: choosing the kind.

#include "net/client/crowd.h"

namespace fathom::bench {

void Disconnections::add(Loss loss) {
  ++(loss == Loss::closed ? closed : loss == Loss::reset ? reset : other);
}

Disconnections& Disconnections::operator+=(const Disconnections& more) {
  closed += more.closed;
  reset += more.reset;
  other += more.other;
  return *this;
}

std::unique_ptr<Crowd> make_crowd(Crowd::Kind kind, std::uint16_t port, std::size_t clients,
                                  const Pattern& pattern) {
  return kind == Crowd::Kind::threads ? make_thread_crowd(port, clients, pattern)
                                      : make_epoll_crowd(port, clients, pattern);
}

}  // namespace fathom::bench
