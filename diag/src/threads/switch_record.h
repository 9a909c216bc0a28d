// SwitchRecord: what the kernel records about a thread (perf_event_open(2)): its beginning, name
// and end, and when it gets and leaves a CPU.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fathom::diag {

struct SwitchRecord {
  enum class Kind : std::uint8_t {
    begins,  // parent: the thread that has created it
    named,   // name
    ends,
    runs,    // on the CPU
    pauses,  // preempted: it could continue
    lost,    // count: as many of this CPU did not fit before the next one
  };
  Kind kind = Kind::lost;
  std::uint64_t time = 0;  // of the monotonic clock, in nanoseconds
  long process = 0;
  long thread = 0;
  unsigned cpu = 0;
  long parent = 0;
  bool preempted = false;
  bool executes = false;  // named by exec(): it is running
  std::uint64_t count = 0;
  std::string name = {};
};

// Decodes a record with its header. Nothing if it is of another kind, or too short.
[[nodiscard]] std::optional<SwitchRecord> decode_switch_record(std::span<const std::byte> bytes);

}  // namespace fathom::diag
