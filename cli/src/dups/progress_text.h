// ProgressText: how far a search for duplicates is, in one line.

#pragma once

#include <string>

#include "fathom/base/bytes.h"
#include "fathom/fs/duplicates.h"

namespace fathom::cli {

// In at most so many columns: the share of the bytes, the bytes, the time that the rest will take
// at the rate so far, the files, what was found.
[[nodiscard]] std::string progress_text(const fs::DuplicateProgress& known, base::Units units,
                                        unsigned columns);

}  // namespace fathom::cli
