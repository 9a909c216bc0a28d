// ProcessCost: what a process has cost so far, from /proc and its CPU clock.
//
//   const ProcessCost before = ProcessCost::of(pid);
//   ...
//   const ProcessCost cost = ProcessCost::of(pid) - before;

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::bench {

// How often a thread gave up its processor: voluntarily, to wait, or because another thread had to
// run. The first equals the number of its wake-ups.
struct ThreadSwitches {
  pid_t thread = 0;
  std::string name;
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
};

struct ProcessCost {
  std::chrono::nanoseconds processor_time{0};
  std::vector<ThreadSwitches> threads;  // the live threads, in the order of their start

  static ProcessCost of(pid_t process);

  // The difference. The counts of threads that ended in between are lost.
  ProcessCost operator-(const ProcessCost& before) const;

  std::uint64_t voluntary() const;
  std::uint64_t involuntary() const;
};

// In bytes; 0 for a process that has ended.
struct ProcessMemory {
  std::size_t resident = 0;
  std::size_t peak = 0;
};

ProcessMemory memory_of(pid_t process);

}  // namespace fathom::bench
