// `fathom dups --apply` and `--undo`: runs the request and returns the exit code.

#pragma once

#include "fathom/act/outcome.h"
#include "flags/dups_request.h"
#include "run/interrupt.h"
#include "run/output.h"

namespace fathom::cli {

// Throws UsageError if nothing can be done.
[[nodiscard]] int apply_or_undo(const DupsRequest& request, Interrupt& interrupt, Output& output);

// The exit code of a run.
[[nodiscard]] int exit_code_of(const act::Applied& applied);

}  // namespace fathom::cli
