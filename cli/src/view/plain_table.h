// PlainTable: a report in words, one fact per line, for screen readers.

#pragma once

#include "fathom/fs/blocks.h"
#include "fathom/fs/table.h"
#include "view/view.h"

namespace fathom::cli {

// "Path: /srv/a", "Disk usage: at least 4.0 KiB": a line for each cell, and a blank line between
// rows. Columns are never omitted or cut, and a record also shows sizes in exact bytes.
void write_plain_table(const fs::Table& table, const View& view, fs::Blocks& text);

}  // namespace fathom::cli
