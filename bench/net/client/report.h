// Report: writes a measurement as lines "name value", for people and fathom-lab.

#pragma once

#include <string>

#include "net/client/measurement.h"

namespace fathom::bench {

// Times are in seconds, memory is in bytes. Unmeasured values have no line: the server's costs if
// it was not started here, times if no message was answered or if system calls were counted.
std::string report(const Measurement& measured);

}  // namespace fathom::bench
