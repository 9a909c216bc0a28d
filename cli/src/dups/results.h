// Results: what a search for duplicates prints, in the format that was asked for.

#pragma once

#include "dups/finding.h"
#include "dups/request.h"
#include "output.h"

namespace fathom::cli {

// The whole output. Throws base::SystemError.
void write_results(const DupsRequest& request, const DupsFinding& found, Output& output);

}  // namespace fathom::cli
