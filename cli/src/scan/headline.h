// Headline: a few lines with the totals of a scan and its duration.

#pragma once

#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "scan/view.h"

namespace fathom::cli {

// At most view.terminal.width columns wide.
[[nodiscard]] std::string headline(const fs::Scan& scan, const fs::Totals& totals,
                                   const View& view);

// The same in words, one fact per line.
[[nodiscard]] std::string plain_headline(const fs::Scan& scan, const fs::Totals& totals,
                                         const View& view);

}  // namespace fathom::cli
