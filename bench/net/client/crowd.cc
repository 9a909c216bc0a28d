// Crowd: choosing the kind, and counting disconnections.

#include "net/client/crowd.h"

#include <cerrno>

namespace fathom::bench {

void Disconnections::add(int error) {
  switch (error) {
    case 0:
      ++closed;
      break;
    case ECONNRESET:
    case EPIPE:  // sending after the reset has been reported
      ++reset;
      break;
    case ETIMEDOUT:
      ++timed_out;
      break;
    default:
      ++others[error];
  }
}

std::size_t Disconnections::other() const {
  std::size_t sum = 0;
  for (const auto& [error, count] : others) sum += count;
  return sum;
}

Disconnections& Disconnections::operator+=(const Disconnections& more) {
  closed += more.closed;
  reset += more.reset;
  timed_out += more.timed_out;
  for (const auto& [error, count] : more.others) others[error] += count;
  return *this;
}

std::unique_ptr<Crowd> make_crowd(Crowd::Kind kind, std::uint16_t port, std::size_t clients,
                                  const Pattern& pattern, const ClientOptions& options) {
  auto crowd = kind == Crowd::Kind::threads ? make_thread_crowd(port, pattern, options)
                                            : make_epoll_crowd(port, pattern, options);
  crowd->add(clients);
  return crowd;
}

}  // namespace fathom::bench
