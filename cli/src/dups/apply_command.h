// `fathom dups --apply` and `--undo`: from the request to an exit code.

#pragma once

#include "dups/request.h"
#include "interrupt.h"
#include "output.h"

namespace fathom::cli {

// Throws UsageError when there is nothing that could be done.
[[nodiscard]] int apply_or_undo(const DupsRequest& request, const Interrupt& interrupt,
                                Output& output);

}  // namespace fathom::cli
