// From: what was scanned before, read from a file, instead of a scan (--from).

#pragma once

#include <string>
#include <vector>

#include "fathom/fs/ncdu_import.h"
#include "flag/arguments.h"
#include "scan/request.h"

namespace fathom::cli {

// Throws UsageError if --from is given together with what only a scan can do.
void check_from(const ScanRequest& request, const Arguments& given);

// Reads the export, or standard input for "-". Throws UsageError if it cannot be read or is none:
// nothing was done then.
[[nodiscard]] fs::NcduImport read_from(const std::string& file, const fs::SelectionAt& selection);

}  // namespace fathom::cli
