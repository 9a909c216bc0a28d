// DiffView: what changed between two snapshots, as text.
//
// The times and sizes, the balance, notes, a tree of directories with bars to the left for what
// became smaller and to the right for what became larger, and lists of the largest changes.

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/store/diff_report.h"
#include "view/view.h"

namespace fathom::cli {

// On a terminal, no line is wider than it, and the tree and the lists are fitted to its height.
void write_diff_view(const store::DiffReport& report, const View& view, fs::Blocks& text);

}  // namespace fathom::cli
