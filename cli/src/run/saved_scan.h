// SavedScan: reads a saved scan from a file instead of scanning (--from).

#pragma once

#include <string>

#include "fathom/fs/ncdu_import.h"

namespace fathom::cli {

// Reads the export, or standard input for "-". Throws UsageError if it cannot be read or is not an
// export; nothing has been done then.
[[nodiscard]] fs::NcduImport read_from(const std::string& file, const fs::SelectionAt& selection);

}  // namespace fathom::cli
