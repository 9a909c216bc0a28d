// LogResults: snapshots as a table, as JSON or as CSV.

#pragma once

#include "fathom/store/log_report.h"
#include "flags/log_request.h"
#include "run/output.h"

namespace fathom::cli {

// Writes the rows in their order, and finishes the output. Throws base::SystemError.
void write_log(const LogRequest& request, const store::LogReport& report, Output& output);

}  // namespace fathom::cli
