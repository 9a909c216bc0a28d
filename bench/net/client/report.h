// Report: writes a measurement as lines "name value" or as JSON, for users and fathom-lab.

#pragma once

#include <cstdint>
#include <string>

#include "net/client/measurement.h"

namespace fathom::bench {

// JSON is one object with the names and the numbers of the lines. The lines of threads are an array
// of objects under "threads".
enum class Format : std::uint8_t { text, json };

// Times are in seconds, memory is in bytes. Unmeasured values are missing: the server's costs if it
// was not started here, times if no message was answered or if system calls were counted.
std::string report(const Measurement& measured, Format format = Format::text);

}  // namespace fathom::bench
