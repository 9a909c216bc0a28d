// TextGroups: duplicates as text: equal directories, groups of files, and the wasted space.

#pragma once

#include "dups/finding.h"
#include "dups/view.h"
#include "fathom/fs/sink.h"

namespace fathom::cli {

// Omits groups of files that are explained by equal directories. On a terminal, lines are fitted to
// its width, and only the first groups of a long list are shown.
void write_text_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink);

}  // namespace fathom::cli
