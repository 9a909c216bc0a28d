// Listening: sockets that listen on the loopback address only.

#pragma once

#include <cstdint>
#include <vector>

#include "net/fd.h"

namespace fathom::bench {

// So many non-blocking sockets on one port that the system chooses. Accepted sockets have
// TCP_NODELAY.
std::vector<Fd> listen_on_loopback(unsigned count);

std::uint16_t port_of(const Fd& listener);

}  // namespace fathom::bench
