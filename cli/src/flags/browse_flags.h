// The flags and the manual of `fathom browse`.

#pragma once

#include <string>
#include <vector>

#include "flags/browse_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& browse_manual();

// Throws UsageError.
[[nodiscard]] BrowseRequest parse_browse(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
