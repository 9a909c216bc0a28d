// LogResults: snapshots as a table, as JSON or as CSV.

#pragma once

#include <string>
#include <vector>

#include "fathom/store/store.h"
#include "flags/log_request.h"
#include "run/output.h"

namespace fathom::cli {

// A snapshot, and the one before it in its series; null if it is the first.
struct LogRow {
  const store::StoredSnapshot* snapshot = nullptr;
  const store::StoredSnapshot* before = nullptr;
};

// Writes the rows in their order, and finishes the output. The rows must outlive the call. Throws
// base::SystemError.
void write_log(const LogRequest& request, const std::string& store, const std::vector<LogRow>& rows,
               const std::vector<store::UnreadableSnapshot>& unreadable, Output& output);

}  // namespace fathom::cli
