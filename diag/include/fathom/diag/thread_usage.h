// ThreadUsage: what the system reports about a thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace fathom::diag {

// Values that the system does not report are empty.
struct ThreadFigures {
  std::optional<std::chrono::nanoseconds> processor;  // CPU time
  std::optional<std::chrono::nanoseconds> user;       // part of it; for running threads other than
  std::optional<std::chrono::nanoseconds> system;     // the calling one in steps of 10 ms
  std::optional<std::chrono::nanoseconds> run_delay;  // ready to run, but waiting for a CPU
  std::optional<std::chrono::nanoseconds> disk_wait;  // asleep until a disk has answered
  std::optional<std::uint64_t> voluntary_switches;    // because it waited
  std::optional<std::uint64_t> involuntary_switches;  // because it was preempted
  std::optional<std::uint64_t> migrations;            // from one CPU to another
  std::optional<std::uint64_t> minor_faults;          // without reading from disk
  std::optional<std::uint64_t> major_faults;          // that read from disk

  // Adds the values that the other has. Of a value that only some have, the sum is that of those.
  ThreadFigures& operator+=(const ThreadFigures& other);
  // Subtracts, but not below 0. A value that either lacks becomes empty.
  ThreadFigures& operator-=(const ThreadFigures& other);
  bool operator==(const ThreadFigures&) const = default;
};

struct ThreadUsage : ThreadFigures {
  std::string name;  // up to 15 bytes, any but NUL
  long id = 0;       // the system's thread id; 0: several threads
  // Since the start of the system, in steps of 10 ms. Needed because thread ids are reused.
  std::optional<std::chrono::nanoseconds> started;
  bool ended = false;  // figures will not change
};

}  // namespace fathom::diag
