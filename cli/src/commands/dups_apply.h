// `fathom dups --apply` and `--undo`: runs the request and returns the exit code.

#pragma once

#include "flags/dups_request.h"
#include "run/interrupt.h"
#include "run/output.h"

namespace fathom::cli {

// Throws UsageError if nothing can be done.
[[nodiscard]] int apply_or_undo(const DupsRequest& request, Interrupt& interrupt, Output& output);

}  // namespace fathom::cli
