// FoundResults: writes what `fathom find` found in the requested format.

#pragma once

#include "fathom/fs/find.h"
#include "flags/find_request.h"
#include "run/output.h"

namespace fathom::cli {

// Completes the output. A list of paths has nothing but paths: on standard error follows how many
// of them had to be escaped because they contain a newline, and that there are none.
void write_results(const FindRequest& request, const fs::ReportInput& input,
                   const fs::FindQuery& query, const fs::Found& found, Output& output);

}  // namespace fathom::cli
