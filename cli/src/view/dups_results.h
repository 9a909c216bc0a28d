// DupsResults: the results of a search for duplicates in the requested format.

#pragma once

#include "flags/dups_request.h"
#include "run/dups_session.h"
#include "run/output.h"

namespace fathom::cli {

// Writes and finishes the output. Throws base::SystemError.
void write_results(const DupsRequest& request, const DupsFinding& found, Output& output);

}  // namespace fathom::cli
