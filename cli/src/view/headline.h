// Headline: a few lines with the totals of a scan and its duration.

#pragma once

#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "view/view.h"

namespace fathom::cli {

// At most view.terminal.width columns wide. Says why, if the two sizes differ widely because of
// sparse files.
[[nodiscard]] std::string headline(const fs::Scan& scan, const fs::Totals& totals,
                                   const View& view);

// The same in words, one fact per line.
[[nodiscard]] std::string plain_headline(const fs::Scan& scan, const fs::Totals& totals,
                                         const View& view);

}  // namespace fathom::cli
