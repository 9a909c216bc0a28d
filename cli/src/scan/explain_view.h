// Ledger: the report `explain` for people, as a sum whose lines can be added up by hand.
//
//   /srv (ext4)
//     1,000,000  size
//       900,000    free to anyone
//             0    reserved
//       100,000    used
//        80,000      found: 12 entries
//         4,096      deleted, but open: /srv/log (logger, process 12)
//             ?      hidden by what is mounted at /srv/proc
//        15,904      the rest: metadata, and what was not found

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "scan/view.h"

namespace fathom::cli {

// Every size is in bytes, to the last. On a terminal lines are wrapped to its width and names cut,
// but never a number. If the view is plain each line says in words what it is a part of.
// Requires: the table is fs::explain()'s.
void write_explain_view(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli
