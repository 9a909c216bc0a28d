// Messages: what a search for duplicates says on standard error once its results are written.

#pragma once

#include "dups/finding.h"

namespace fathom::cli {

// The first of what could not be read and of what changed, and what that means.
void tell_incomplete(const DupsFinding& found);

}  // namespace fathom::cli
