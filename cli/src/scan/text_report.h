// Text reports: the answers of fathom::fs, set in columns for people.
//
// Paths are escaped but never shortened: a report is the place to copy them from.

#pragma once

#include <string>
#include <vector>

#include "fathom/fs/json.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "scan/view.h"

namespace fathom::cli {

// The reports in the order of the requests, a blank line between them; without requests a short
// summary and the picture. Where something is missing from the results, the text says so.
[[nodiscard]] std::string text_report(const fs::Scan& scan, const fs::Totals& totals,
                                      const std::vector<fs::ReportRequest>& reports,
                                      const View& view);

// "cannot open /root: Permission denied"
[[nodiscard]] std::string describe(const fs::ScanError& error);

}  // namespace fathom::cli
