// Messages: the messages on standard error after the results of a search for duplicates.

#pragma once

#include "dups/finding.h"

namespace fathom::cli {

// Prints the first errors and the first files that changed, and what they mean for the results.
void tell_incomplete(const DupsFinding& found);

}  // namespace fathom::cli
