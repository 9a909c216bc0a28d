// PlainGroups: duplicates in words, a fact a line, for those who are told rather than shown.

#pragma once

#include "dups/finding.h"
#include "dups/view.h"
#include "fathom/fs/sink.h"

namespace fathom::cli {

// As write_text_groups(), with nothing left out but what --top says.
void write_plain_groups(const DupsFinding& found, const DupsView& view, const fs::Sink& sink);

}  // namespace fathom::cli
