// ThreadsView: writes the report of threads in the requested format.

#pragma once

#include <string>

#include "fathom/diag/record_threads.h"
#include "flags/threads_request.h"
#include "run/output.h"

namespace fathom::cli {

// With --pid, only the threads and the process of the recording count.
void write_threads(const ThreadsRequest& request, const diag::CommandRecording& recording,
                   Output& output);

}  // namespace fathom::cli
