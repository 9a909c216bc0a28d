// ScanMessages: what a scan says on standard error once its results are written.

#pragma once

#include <string>

#include "fathom/fs/scan.h"

namespace fathom::cli {

// "cannot open /root: Permission denied"
[[nodiscard]] std::string describe(const fs::ScanError& error);

// The first errors, unless a report lists all, and what they mean for the totals.
void tell_errors(const fs::Scan& scan, bool listed);

// Arguments that are symbolic links to directories: they are not followed, which is seldom what was
// wanted.
void tell_links(const fs::Scan& scan);

}  // namespace fathom::cli
