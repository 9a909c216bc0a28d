// Opens the output of a command: the file that -o names, or standard output.

#pragma once

#include "flag/common_request.h"
#include "output.h"

namespace fathom::cli {

// Throws UsageError if it cannot be opened for writing; nothing has been done then.
[[nodiscard]] Output open_output(const CommonRequest& request);

}  // namespace fathom::cli
