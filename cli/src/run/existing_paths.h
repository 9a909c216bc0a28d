// Existing paths: a check before a scan.

#pragma once

#include <string>

#include "flags/common_request.h"

namespace fathom::cli {

// Whether nothing is at the path, as far as can be seen.
[[nodiscard]] bool does_not_exist(const std::string& path);

// Throws UsageError if none of the paths to scan exists. If some exist, or if a path cannot be
// examined, the scan reports the others. Does nothing for a saved scan.
void require_existing_path(const CommonRequest& request);

}  // namespace fathom::cli
