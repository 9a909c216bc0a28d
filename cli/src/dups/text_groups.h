// TextGroups: duplicates for people: equal directories, groups of files, and what all of it wastes.

#pragma once

#include "dups/finding.h"
#include "dups/view.h"
#include "fathom/fs/sink.h"

namespace fathom::cli {

// Groups of files that the directories explain are left out. On a terminal lines end where it does,
// and of long lists the first is shown.
void write_text_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink);

}  // namespace fathom::cli
