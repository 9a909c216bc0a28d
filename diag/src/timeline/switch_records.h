// SwitchRecords: reads the context switches that the kernel has written into a ring of perf events.
//
// The layout is that of perf_event_open(2): records of PERF_RECORD_SWITCH and PERF_RECORD_LOST,
// each with the time and the processor (PERF_SAMPLE_TIME, PERF_SAMPLE_CPU). Other records are
// skipped.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::diag {

struct Switch {
  enum class Kind : std::uint8_t {
    in,         // a processor begins to run the thread
    waits,      // the thread gives its processor up
    preempted,  // the thread loses its processor, although it could run
    lost,       // the kernel had no room for `lost` records
  };

  Kind kind = Kind::in;
  std::uint32_t processor = 0;
  std::uint64_t nanoseconds = 0;  // of the clock that the event was opened with
  std::uint64_t lost = 0;

  bool operator==(const Switch&) const = default;
};

// The records between the two positions, in their order. The size of the ring is a power of two,
// and positions only increase. If a record is malformed, the rest is ignored. Throws
// std::bad_alloc.
[[nodiscard]] std::vector<Switch> read_switches(std::span<const std::byte> ring,
                                                std::uint64_t begin, std::uint64_t end);

}  // namespace fathom::diag
