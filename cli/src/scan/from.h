// From: reads a saved scan from a file instead of scanning (--from).

#pragma once

#include <string>
#include <vector>

#include "fathom/fs/ncdu_import.h"
#include "flag/arguments.h"
#include "scan/request.h"

namespace fathom::cli {

// Throws UsageError if --from is combined with a flag that only a scan supports.
void check_from(const ScanRequest& request, const Arguments& given);

// Reads the export, or standard input for "-". Throws UsageError if it cannot be read or is not an
// export; nothing has been done then.
[[nodiscard]] fs::NcduImport read_from(const std::string& file, const fs::SelectionAt& selection);

}  // namespace fathom::cli
