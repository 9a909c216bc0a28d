// The headline: few lines that say how much there is, of what, and how long finding it took.

#pragma once

#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "scan/view.h"

namespace fathom::cli {

// At most view.terminal.width columns wide.
[[nodiscard]] std::string headline(const fs::Scan& scan, const fs::Totals& totals,
                                   const View& view);

// The same in words, a fact a line.
[[nodiscard]] std::string plain_headline(const fs::Scan& scan, const fs::Totals& totals,
                                         const View& view);

}  // namespace fathom::cli
