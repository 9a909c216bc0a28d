// Writes a measurement as lines "name value", which people and fathom-lab read.

#pragma once

#include <string>

#include "net/client/measurement.h"

namespace fathom::bench {

// Times are in seconds and memory is in bytes. What was not measured has no line: the server's
// costs if it was not started here, times if no message came back or if system calls were counted.
std::string report(const Measurement& measured);

}  // namespace fathom::bench
