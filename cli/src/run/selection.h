// Selection: converts the request of the user to a selection of fathom::fs.

#pragma once

#include "fathom/fs/ncdu_import.h"
#include "flags/common_request.h"

namespace fathom::cli {

// Reads the files of rules, once. The result takes the time to which ages are relative. Throws
// UsageError if a file cannot be read, is longer than 64 MiB, or has a line longer than 64 KiB, or
// if no time matches --newer and --older.
[[nodiscard]] fs::SelectionAt selection_of(const CommonRequest& request, fs::Measure measure);

}  // namespace fathom::cli
