// ThreadFacts: what the system says of threads.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fathom/diag/thread_report.h"

namespace fathom::diag {

// The calling one.
[[nodiscard]] ThreadUsage usage_of_this_thread();

// All that run now, by their ids; those that end meanwhile may be missing. Empty where the system
// does not list them.
[[nodiscard]] std::vector<ThreadUsage> usage_of_running_threads();

// All that there ever were. No name and no run delay.
[[nodiscard]] ThreadUsage usage_of_process();

// ---- What files of /proc/PID/task/TID say; what is not as expected stays unknown.

void read_schedstat(std::string_view text, ThreadUsage& usage);
// Ticks are the unit of the times in it, in a second.
void read_stat(std::string_view text, long ticks, ThreadUsage& usage);
void read_status(std::string_view text, ThreadUsage& usage);

}  // namespace fathom::diag
