// `fathom dups --apply` and `--undo`: runs the request and returns the exit code.

#pragma once

#include "dups/request.h"
#include "interrupt.h"
#include "output.h"

namespace fathom::cli {

// Throws UsageError if nothing can be done.
[[nodiscard]] int apply_or_undo(const DupsRequest& request, const Interrupt& interrupt,
                                Output& output);

}  // namespace fathom::cli
