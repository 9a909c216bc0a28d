// GrowthView: growth over several snapshots, as text: a table with a sparkline for each directory,
// and a sentence about when the filesystem is full.

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/store/growth.h"
#include "view/view.h"

namespace fathom::cli {

// On a terminal, no line is wider than it, and the rows are fitted to its height. Requires: there
// is a snapshot.
void write_growth_view(const store::Growth& growth, const View& view, fs::Blocks& text);

}  // namespace fathom::cli
