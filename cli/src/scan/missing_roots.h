// MissingRoots: the number of arguments of a scan that do not exist. They are errors, but do not
// make the sums of the other roots lower bounds.

#pragma once

#include <cstddef>

#include "fathom/fs/scan.h"

namespace fathom::cli {

[[nodiscard]] std::size_t missing_roots(const fs::Scan& scan);

// The number of other errors, which make sums lower bounds.
[[nodiscard]] std::size_t unread_entries(const fs::Scan& scan);

}  // namespace fathom::cli
