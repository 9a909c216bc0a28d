// ExplainView: the report `explain` as text, a sum.
//
//   /srv (ext4)
//     954 MiB  size
//     858 MiB    free for all users
//      95 MiB    used
//      76 MiB      found: 12 entries
//     4.0 MiB      deleted but still open: /srv/log (logger, process 12)
//           ?      hidden by the mount at /srv/proc
//      15 MiB      unaccounted for: metadata, and files outside the scanned paths

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "view/view.h"

namespace fathom::cli {

// Without the rows that explain nothing (see explain_rows.h); if view.verbose is set, all rows,
// with exact sizes that can be added up by hand. On a terminal, lines are wrapped to its width and
// names may be shortened, but never numbers. In a plain view, each line names the sum that it is a
// part of. Requires: the table was made by fs::explain().
void write_explain_view(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli
