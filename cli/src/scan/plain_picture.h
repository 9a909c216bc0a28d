// PlainPicture: the largest parts of a scan as words, a line each, for those who hear it.

#pragma once

#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "scan/view.h"

namespace fathom::cli {

// "164 MiB, 28%, directory /usr/share/locale": the rows of the picture, each with its whole path.
// Empty when nothing was scanned.
[[nodiscard]] std::string plain_picture(const fs::Scan& scan, const fs::Totals& totals,
                                        const View& view);

}  // namespace fathom::cli
