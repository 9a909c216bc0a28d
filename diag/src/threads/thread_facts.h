// ThreadFacts: what the system reports about threads.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fathom/diag/thread_report.h"

namespace fathom::diag {

// Of the calling thread.
[[nodiscard]] ThreadUsage usage_of_this_thread();

// Of all running threads, by id; threads that end meanwhile may be missing. Empty if the system
// does not list them.
[[nodiscard]] std::vector<ThreadUsage> usage_of_running_threads();

// Of all threads, running and ended. Without name and run delay.
[[nodiscard]] ThreadUsage usage_of_process();

// ---- Parsers of files of /proc/PID/task/TID; unexpected contents leave the fields unknown.

void read_schedstat(std::string_view text, ThreadUsage& usage);
// `ticks`: clock ticks per second, the unit of the times in the file.
void read_stat(std::string_view text, long ticks, ThreadUsage& usage);
void read_status(std::string_view text, ThreadUsage& usage);

}  // namespace fathom::diag
