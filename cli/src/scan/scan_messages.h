// ScanMessages: the messages on standard error after the results of a scan.

#pragma once

#include <string>

#include "fathom/fs/scan.h"

namespace fathom::cli {

// "cannot open /root: Permission denied"
[[nodiscard]] std::string describe(const fs::ScanError& error);

// Prints the first errors, unless a report lists them all, and what they mean for the totals.
void tell_errors(const fs::Scan& scan, bool listed);

// Names the arguments that are symbolic links to directories. A scan does not follow them, which is
// seldom what the user wants.
void tell_links(const fs::Scan& scan);

}  // namespace fathom::cli
