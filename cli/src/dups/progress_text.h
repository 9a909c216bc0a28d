// ProgressText: the progress of a search for duplicates, in one line.

#pragma once

#include <string>

#include "fathom/base/bytes.h"
#include "fathom/fs/duplicates.h"

namespace fathom::cli {

// In at most that many columns: the percentage and number of bytes compared, the time left at the
// average rate, the files, and the groups found.
[[nodiscard]] std::string progress_text(const fs::DuplicateProgress& known, base::Units units,
                                        unsigned columns);

}  // namespace fathom::cli
