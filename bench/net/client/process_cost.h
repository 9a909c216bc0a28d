// What a process has cost so far, as /proc and its processor clock say it.
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

// How often a thread gave up its processor: of its own will, to wait, or because another thread was
// to run. The first is as often as it was woken.
struct ThreadSwitches {
  pid_t thread = 0;
  std::string name;
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
};

struct ProcessCost {
  std::chrono::nanoseconds processor_time{0};
  std::vector<ThreadSwitches> threads;  // those that are alive, in the order of their start

  static ProcessCost of(pid_t process);

  // What came since. Threads that ended in between have taken their counts along.
  ProcessCost operator-(const ProcessCost& before) const;

  std::uint64_t voluntary() const;
  std::uint64_t involuntary() const;
};

// In bytes; 0 of a process that has ended.
struct ProcessMemory {
  std::size_t resident = 0;
  std::size_t peak = 0;
};

ProcessMemory memory_of(pid_t process);

}  // namespace fathom::bench
