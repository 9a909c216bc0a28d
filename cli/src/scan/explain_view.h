// ExplainView: the report `explain` as text, a sum whose lines can be added up by hand.
//
//   /srv (ext4)
//     1,000,000  size
//       900,000    free for all users
//             0    free, but reserved
//       100,000    used
//        80,000      found: 12 entries
//         4,096      deleted but still open: /srv/log (logger, process 12)
//             ?      hidden by the mount at /srv/proc
//        15,904      the rest: metadata, and files that were not found

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "scan/view.h"

namespace fathom::cli {

// All sizes are exact, in bytes. On a terminal, lines are wrapped to its width and names may be
// shortened, but never numbers. In a plain view, each line names the sum that it is a part of.
// Requires: the table was made by fs::explain().
void write_explain_view(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli
