// Sockets that listen on the loopback address, and nowhere else.

#pragma once

#include <cstdint>
#include <vector>

#include "net/fd.h"

namespace fathom::bench {

// So many, non-blocking, of one port that the system chooses. What they accept has TCP_NODELAY.
std::vector<Fd> listen_on_loopback(unsigned count);

std::uint16_t port_of(const Fd& listener);

}  // namespace fathom::bench
