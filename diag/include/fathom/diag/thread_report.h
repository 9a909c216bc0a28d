// ThreadReport: how much CPU time each thread has used, and what it waited for.
//
// Running threads are queried when the report is made. A thread that has ended is listed only if it
// called remember_this_thread(); the others are reported together, as the rest of the process's
// sums.
//
//   std::thread worker([] { diag::remember_this_thread(); work(); });
//   ...
//   print(diag::thread_report().text());
//
// ThreadObserver (thread_observer.h) calls it for all workers of an executor.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::diag {

// Values that the system does not report are empty.
struct ThreadUsage {
  std::string name;
  long id = 0;  // the system's thread id; 0: several threads
  // Since the start of the system, in steps of 10 ms. Needed because thread ids are reused.
  std::optional<std::chrono::nanoseconds> started;
  bool ended = false;
  std::optional<std::chrono::nanoseconds> processor;  // CPU time
  std::optional<std::chrono::nanoseconds> user;       // part of it; for running threads other than
  std::optional<std::chrono::nanoseconds> system;     // the calling one in steps of 10 ms
  std::optional<std::chrono::nanoseconds> run_delay;  // ready to run, but waiting for a CPU
  std::optional<std::uint64_t> voluntary_switches;    // because it waited
  std::optional<std::uint64_t> involuntary_switches;  // because it was preempted
  std::optional<std::uint64_t> minor_faults;          // without reading from disk
  std::optional<std::uint64_t> major_faults;          // that read from disk
};

struct ThreadReport {
  // Running threads by id, then ended ones in the order of their end; each once.
  std::vector<ThreadUsage> threads;
  ThreadUsage ended_unseen;  // the ended threads that were not remembered, together
  ThreadUsage process;       // all threads, running and ended

  // For people, one line per thread.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] ThreadReport thread_report();

// Keeps the usage of the calling thread for reports when it ends; for at most 10,000 threads. A
// forked child does not inherit the records of its parent.
void remember_this_thread() noexcept;

}  // namespace fathom::diag
