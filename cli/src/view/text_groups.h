// TextGroups: duplicates as text: equal directories, groups of files, and the wasted space.

#pragma once

#include "fathom/fs/sink.h"
#include "run/dups_session.h"
#include "view/dups_view.h"

namespace fathom::cli {

// Omits groups of files that are explained by equal directories. On a terminal, lines are fitted to
// its width, and as many groups are shown as fit on its screen, the ones that waste most first; a
// line says how many others there are. A limit of the user applies instead.
void write_text_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink);

}  // namespace fathom::cli
