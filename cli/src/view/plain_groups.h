// PlainGroups: duplicates in words, one fact per line, for screen readers.

#pragma once

#include "fathom/fs/sink.h"
#include "run/dups_session.h"
#include "view/dups_view.h"

namespace fathom::cli {

// Like write_text_groups(), but omits only what --top omits.
void write_plain_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink);

}  // namespace fathom::cli
