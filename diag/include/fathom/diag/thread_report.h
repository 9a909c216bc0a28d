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

#include <string>
#include <vector>

#include "fathom/diag/thread_usage.h"

namespace fathom::diag {

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
