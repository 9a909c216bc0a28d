// ThreadFacts: what the system reports about threads of this process.

#pragma once

#include <vector>

#include "fathom/diag/thread_usage.h"

namespace fathom::diag {

// Of the calling thread.
[[nodiscard]] ThreadUsage usage_of_this_thread();

// Of all running threads, by id; threads that end meanwhile may be missing. Empty if the system
// does not list them.
[[nodiscard]] std::vector<ThreadUsage> usage_of_running_threads();

// Of all threads, running and ended. Without name and run delay.
[[nodiscard]] ThreadUsage usage_of_process();

}  // namespace fathom::diag
