// ThreadReport: what each thread has had of the processors, and what it had to wait for.
//
// Threads that run are asked for as the report is made. Of one that has ended there is something to
// tell if it had called remember_this_thread(); the others are told together, as what is left of
// the process's own sums.
//
//   std::thread worker([] { diag::remember_this_thread(); work(); });
//   ...
//   print(diag::thread_report().text());
//
// ThreadObserver (thread_observer.h) does so for all workers of an executor.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::diag {

// What the system does not tell is empty.
struct ThreadUsage {
  std::string name;
  long id = 0;  // the system's; 0: of several threads
  // Since the system did, in steps of 10 ms: the system gives an id again to a later thread.
  std::optional<std::chrono::nanoseconds> started;
  bool ended = false;
  std::optional<std::chrono::nanoseconds> processor;  // time on one
  std::optional<std::chrono::nanoseconds> user;       // of that; of other threads than the calling
  std::optional<std::chrono::nanoseconds> system;     // one that still run in steps of 10 ms
  std::optional<std::chrono::nanoseconds> run_delay;  // ready to run, with no processor free
  std::optional<std::uint64_t> voluntary_switches;    // it waited for something
  std::optional<std::uint64_t> involuntary_switches;  // others had their turn
  std::optional<std::uint64_t> minor_faults;          // pages that were in memory
  std::optional<std::uint64_t> major_faults;          // that had to be read
};

struct ThreadReport {
  // Those that run by their ids, then those that have ended, in that order; each once.
  std::vector<ThreadUsage> threads;
  ThreadUsage ended_unseen;  // the threads that ended and were not remembered, together
  ThreadUsage process;       // all threads that there ever were

  // For people, a line for each thread.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] ThreadReport thread_report();

// When the calling thread ends, what it has used is kept for reports: of the first 10,000 threads.
// A forked child knows nothing of its parent's.
void remember_this_thread() noexcept;

}  // namespace fathom::diag
