// AskedOutput: where a command's results go, as its -o says.

#pragma once

#include "flag/common_request.h"
#include "output.h"

namespace fathom::cli {

// Throws UsageError if it cannot be written to: nothing was done then.
[[nodiscard]] Output output_of(const CommonRequest& request);

}  // namespace fathom::cli
