// Results: the results of a search for duplicates in the requested format.

#pragma once

#include "dups/finding.h"
#include "dups/request.h"
#include "output.h"

namespace fathom::cli {

// Writes and finishes the output. Throws base::SystemError.
void write_results(const DupsRequest& request, const DupsFinding& found, Output& output);

}  // namespace fathom::cli
