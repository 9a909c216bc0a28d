// The flags and the manuals of `fathom apply` and `fathom undo`.

#pragma once

#include <string>
#include <vector>

#include "flags/apply_request.h"
#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] const Manual& apply_manual();
[[nodiscard]] const Manual& undo_manual();

// Throw UsageError.
[[nodiscard]] ApplyRequest parse_apply(const std::vector<std::string>& arguments);
[[nodiscard]] ApplyRequest parse_undo(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
