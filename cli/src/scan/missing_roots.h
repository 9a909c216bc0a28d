// MissingRoots: how many of the arguments of a scan name nothing. They are errors, but hide nothing
// from the sums of what was found: those are no lower bounds for it.

#pragma once

#include <cstddef>

#include "fathom/fs/scan.h"

namespace fathom::cli {

[[nodiscard]] std::size_t missing_roots(const fs::Scan& scan);

// The other errors: what makes sums lower bounds.
[[nodiscard]] std::size_t unread_entries(const fs::Scan& scan);

}  // namespace fathom::cli
