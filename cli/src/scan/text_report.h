// Text reports: the answers of fathom::fs, set in columns for people.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"
#include "scan/view.h"

namespace fathom::cli {

// The reports in their order, a blank line between them. Each of `pictures`, in ascending order, is
// how many reports a picture stands behind. With neither: a short summary and the picture. Where
// something is missing from the results, the text says so.
void write_text(const fs::ReportInput& input, const std::vector<fs::Table>& reports,
                const std::vector<std::size_t>& tree_views, const View& view, const fs::Sink& sink);

}  // namespace fathom::cli
