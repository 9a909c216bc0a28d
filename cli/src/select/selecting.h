// Selecting: from what was asked to what fathom::fs understands.

#pragma once

#include "fathom/fs/ncdu_import.h"
#include "flag/common_request.h"

namespace fathom::cli {

// Reads the files of rules, once. Ages are counted from the moment that the result is called with.
// Throws UsageError when a file cannot be read, or is no list of rules: longer than 64 MiB, or with
// a line longer than 64 KiB.
[[nodiscard]] fs::SelectionAt selection_of(const CommonRequest& request, fs::Measure measure);

}  // namespace fathom::cli
