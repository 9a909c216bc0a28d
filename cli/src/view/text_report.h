// TextReport: the reports of fathom::fs as text.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "view/view.h"

namespace fathom::cli {

// Writes the reports in order, separated by blank lines. Each of `tree_views`, in ascending order,
// is the number of reports before a tree view. Without reports and tree views, writes a short
// summary and a tree view. Notes say what is missing from the results.
void write_text(const fs::ReportInput& input, const std::vector<fs::Table>& reports,
                const std::vector<std::size_t>& tree_views, const View& view, const fs::Sink& sink);

}  // namespace fathom::cli
